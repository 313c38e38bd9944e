import type { Grant, Principal } from '../auth/principal.ts'

/** A grant of everything, but for what is said. */
function toGrant(own: Partial<Grant> = {}): Grant {
  return { ...WHOLE, ...own }
}

const WHOLE: Grant = {
  name: 'test',
  tiers: undefined,
  scopes: [],
  skills: undefined,
  tools: undefined,
  runs: 'own',
  management: false,
}

/** Whoever has a token of this name. */
export function toHolder(name: string, grant: Partial<Grant> = {}, own: Partial<Principal> = {}): Principal {
  return {
    id: `token:${name}`,
    method: 'token',
    grant: toGrant(grant),
    scopes: [],
    expiresAt: undefined,
    ...own,
  }
}
