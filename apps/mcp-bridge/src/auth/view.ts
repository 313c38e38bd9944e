import { answersToGrant } from './decision.ts'
import type { Principal } from './principal.ts'

/** The key of those whom no grant narrows: they all see the same. */
const WHOLE_VIEW = ''

const keys = new WeakMap<Principal, string>()

/** What a principal sees has this name: two with the same rights share it, whoever they are. */
export function toViewKey(principal: Principal): string {
  if (!answersToGrant(principal)) return WHOLE_VIEW
  const known = keys.get(principal)
  if (known !== undefined) return known
  const { grant, scopes } = principal
  const rights = grant && {
    tiers: grant.tiers && toSorted(grant.tiers),
    // Apart: what a token carries may be any text, and stands for nothing but itself.
    scopes: toSorted(scopes),
    granted: toSorted(grant.scopes),
    skills: grant.skills && toSorted(grant.skills),
    tools: grant.tools,
    management: grant.management,
  }
  const key = JSON.stringify(rights ?? null)
  keys.set(principal, key)
  return key
}

function toSorted(texts: readonly string[]): string[] {
  return [...new Set(texts)].sort()
}

/** What is made for each view and kept for the last that were asked for. */
export interface PerView<T> {
  /** @param make for a view of which nothing is kept */
  get(principal: Principal, make: (principal: Principal) => T): T
  /** What is kept. */
  find(principal: Principal): T | undefined
  clear(): void
}

/** Whoever comes with many different rights has theirs made on demand, and takes the place of whoever was not here for longest. */
const MAX_VIEWS = 64

export interface PerViewOptions<T> {
  /** @default 64 */
  readonly most?: number
  /** Told what has given its place to another one: nobody gets it any more. */
  readonly onLeft?: (value: T) => void
}

export function createPerView<T>({ most = MAX_VIEWS, onLeft }: PerViewOptions<T> = {}): PerView<T> {
  const kept = new Map<string, { readonly value: T }>()
  return {
    get(principal, make) {
      const key = toViewKey(principal)
      const entry = kept.get(key) ?? { value: make(principal) }
      kept.delete(key)
      kept.set(key, entry)
      const [oldest] = kept
      if (oldest !== undefined && kept.size > most) {
        kept.delete(oldest[0])
        onLeft?.(oldest[1].value)
      }
      return entry.value
    },
    find: (principal) => kept.get(toViewKey(principal))?.value,
    clear: () => kept.clear(),
  }
}
