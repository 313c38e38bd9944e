import { Parser } from 'yaml'

export const MAX_LEVELS = 64

/**
 * Whether YAML text is nested so deeply that it must not be made a document: that step is recursive, and a process whose
 * stack it fills may not survive that.
 */
export function isTooDeep(text: string): boolean {
  const waiting: Nested[] = [...new Parser().parse(text)].map((token) => ({ token, level: 1 }))
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next.level > MAX_LEVELS) return true
    waiting.push(...partsOf(next))
  }
  return false
}

interface Nested {
  token: unknown
  level: number
}

function partsOf({ token, level }: Nested): Nested[] {
  if (typeof token !== 'object' || token === null) return []
  const { key, value, items } = token as { key?: unknown; value?: unknown; items?: unknown }
  const inside = [key, ...(Array.isArray(items) ? items : [])].map((part) => ({ token: part, level: level + 1 }))
  return [{ token: value, level }, ...inside]
}
