import { isRecord } from '@iii/protocol'
import { findNearest } from '@iii/sdk'

/** Hears where something is wrong, and what. */
export type TellMistake = (path: PropertyKey[], message: string) => void

/**
 * Finds what is wrong with the `auth` block beyond each of its values, also where some of those are wrong too, so that all mistakes are
 * told at once. It looks at what was written, and leaves to the schema whatever is of another type.
 */
export function findContradictions(block: unknown, tell: TellMistake): void {
  if (!isRecord(block)) return
  findUnknownGrants(block, tell)
  findDoubles(toElements(block['tokens']), { list: 'tokens', key: 'name' }, tell)
  findDoubles(toElements(block['issuers']), { list: 'issuers', key: 'issuer' }, tell)
  findSharedHashes(toElements(block['tokens']), tell)
  findLoneBursts(block, tell)
  if (toElements(block['issuers']).length === 0 || block['resource'] !== undefined) return
  tell(
    ['resource'],
    'is needed with issuers: the address of the endpoint as clients use it, https://mcp.example.com/mcp',
  )
}

type Written = Readonly<Record<string, unknown>>

function findUnknownGrants(block: Written, tell: TellMistake): void {
  const grants = isRecord(block['grants']) ? Object.keys(block['grants']) : []
  const known = grants.length === 0 ? 'auth.grants has none' : `auth.grants has ${grants.slice(0, 20).join(', ')}`
  for (const [path, name] of findGrantNames(block)) {
    if (typeof name !== 'string' || grants.includes(name)) continue
    const nearest = findNearest(name, grants)
    tell(path, `there is no grant '${name}'${nearest === undefined ? '' : `; did you mean '${nearest}'?`} (${known})`)
  }
  if (!grants.includes('deny')) return
  tell(['grants', 'deny'], "must have another name: 'bus: deny' means that there is no grant")
}

/** Wherever a grant is named. */
function findGrantNames(block: Written): [path: PropertyKey[], name: unknown][] {
  const tokens = toElements(block['tokens']).map(([at, { grant }]): [PropertyKey[], unknown] => [
    ['tokens', at, 'grant'],
    grant,
  ])
  const issuers = toElements(block['issuers']).flatMap(([at, issuer]) =>
    toElements(issuer['grants']).map(([nth, { grant }]): [PropertyKey[], unknown] => [
      ['issuers', at, 'grants', nth, 'grant'],
      grant,
    ]),
  )
  const others = ['anonymous', 'stdio', 'bus'].flatMap((key): [PropertyKey[], unknown][] => {
    const part = block[key]
    return isRecord(part) ? [[[key, 'grant'], part['grant']]] : []
  })
  const bus = block['bus'] === 'deny' ? undefined : block['bus']
  return [...tokens, ...issuers, ...others, [['bus'], bus]]
}

/** Two that are called alike would be one principal, or one issuer with two sets of rules. */
function findDoubles(
  elements: readonly [number, Written][],
  { list, key }: { list: string; key: string },
  tell: TellMistake,
): void {
  const first = new Map<string, number>()
  for (const [at, { [key]: name }] of elements) {
    if (typeof name !== 'string') continue
    const before = first.get(name)
    if (before === undefined) first.set(name, at)
    else tell([list, at, key], `'${name}' is that of ${list}[${before}] already`)
  }
}

/** A token that two have would be nobody's. */
function findSharedHashes(tokens: readonly [number, Written][], tell: TellMistake): void {
  const owners = new Map<unknown, number>()
  const digests = tokens.flatMap(([at, { hash }]) =>
    (Array.isArray(hash) ? hash : []).map((digest: unknown, nth) => ({ at, nth, digest })),
  )
  for (const { at, nth, digest } of digests) {
    const owner = owners.get(digest)
    if (owner === undefined) owners.set(digest, at)
    else tell(['tokens', at, 'hash', nth], `is a hash of tokens[${owner}] already`)
  }
}

/** A burst is how much of the limit a minute may be used at once; without that limit it would say nothing. */
function findLoneBursts(block: Written, tell: TellMistake): void {
  const common = isRecord(block['limits']) ? block['limits'] : {}
  const anonymous = isRecord(block['anonymous']) ? block['anonymous'] : {}
  const places: [PropertyKey[], unknown][] = [
    [['limits'], common],
    [['anonymous', 'limits'], anonymous['limits']],
    ...toElements(block['tokens']).map(([at, { limits }]): [PropertyKey[], unknown] => [
      ['tokens', at, 'limits'],
      limits,
    ]),
  ]
  for (const [path, limits] of places) {
    if (!isRecord(limits) || limits['burst'] === undefined) continue
    const perMinute = limits['per_minute'] ?? common['per_minute']
    if (perMinute === undefined) tell([...path, 'burst'], 'says nothing without per_minute')
  }
}

/** The mappings of a list, each with its place. */
function toElements(value: unknown): [number, Written][] {
  if (!Array.isArray(value)) return []
  return value.flatMap((element: unknown, at): [number, Written][] => (isRecord(element) ? [[at, element]] : []))
}
