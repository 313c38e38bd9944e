import type { Grant } from '../principal.ts'

/** What several grants give together. @returns undefined where there is none */
export function uniteGrants(grants: readonly Grant[]): Grant | undefined {
  const [first, ...others] = grants
  return first === undefined ? undefined : others.reduce(unite, first)
}

function unite(one: Grant, other: Grant): Grant {
  return {
    name: `${one.name}+${other.name}`,
    tiers: uniteAll(one.tiers, other.tiers),
    scopes: [...new Set([...one.scopes, ...other.scopes])],
    skills: uniteAll(one.skills, other.skills),
    // Whoever is listed all tools in one grant does not lose them by another.
    tools: one.tools === 'all' || other.tools === 'all' ? 'all' : one.tools === other.tools ? one.tools : undefined,
    runs: one.runs === 'all' || other.runs === 'all' ? 'all' : 'own',
    management: one.management || other.management,
  }
}

/** Undefined is everything, and so is everything with anything. */
function uniteAll<T>(one: readonly T[] | undefined, other: readonly T[] | undefined): readonly T[] | undefined {
  return one === undefined || other === undefined ? undefined : [...new Set([...one, ...other])]
}
