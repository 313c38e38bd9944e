import { type BadPath, compareTokens, PARAM, type PathPattern, REST, type Token, toMatcher } from './path-pattern.ts'

/** Something registered at a path for a method. */
export interface RouterEntry {
  readonly method: string
  /** The path as it was registered. */
  readonly apiPath: string
  readonly pattern: PathPattern | BadPath
}

/** Finds what is registered at a path. */
export interface Router {
  /** By method; `undefined` when nothing has this path. */
  find(path: string): ReadonlyMap<string, RouterEntry> | undefined
}

interface Place {
  readonly tokens: readonly Token[]
  readonly matcher: RegExp
  readonly methods: Map<string, RouterEntry>
}

/** Builds a router, or says why there is none. */
export function buildRouter(all: Iterable<RouterEntry>): Router | BadPath {
  const places = new Map<string, Place>()
  const forks = new Map<string, Fork>()
  for (const placed of all) {
    const { pattern, apiPath, method } = placed
    if ('problem' in pattern) return { problem: `the path '${apiPath}' cannot be routed: ${pattern.problem}` }
    const { spelling, tokens } = pattern
    const rival = takeForks(forks, tokens, { spelling, apiPath })
    if (rival !== undefined) {
      return {
        problem: `the path '${apiPath}' cannot stand beside '${rival}': parameters at the same position need the same name and kind`,
      }
    }
    const place = places.get(spelling) ?? { tokens, matcher: toMatcher(tokens), methods: new Map() }
    places.set(spelling, place)
    place.methods.set(method, placed)
  }
  return toRouter([...places.values()])
}

/** Paths without parameters come first: they are looked up, all others are tried in turn. */
function toRouter(places: readonly Place[]): Router {
  const plain = new Map<string, Place>()
  const patterns: Place[] = []
  for (const place of places) {
    if (place.tokens.some((token) => typeof token === 'symbol')) patterns.push(place)
    else plain.set(place.tokens.join(''), place)
  }
  patterns.sort((a, b) => compareTokens(a.tokens, b.tokens))
  return {
    find: (path) => (plain.get(path) ?? patterns.find(({ matcher }) => matcher.test(path)))?.methods,
  }
}

/** The first path that has a parameter somewhere. */
type Fork = Pick<PathPattern, 'spelling'> & Pick<RouterEntry, 'apiPath'>

/**
 * Notes where a path has its parameters. Two paths go together when they have the same parameter at the same place; a
 * rest goes with nothing else there, and nothing goes with a path that differs in names alone.
 *
 * @returns a path that does not go with this one.
 */
function takeForks(forks: Map<string, Fork>, tokens: readonly Token[], fork: Fork): string | undefined {
  // Lone surrogates: no path that came in a frame has one.
  const written = tokens.map((token) => (typeof token === 'string' ? token : token === PARAM ? '\ud800' : '\ud801'))
  const places = tokens.flatMap((token, i) => {
    const before = written.slice(0, i).join('')
    if (token === PARAM) return { own: `${before}\ud800`, rivals: [`${before}\ud801`] }
    return token === REST ? { own: `${before}\ud801`, rivals: [`${before}\ud800`, `${before}\ud801`] } : []
  })
  const whole = `${written.join('')}\ud802`
  const present = [...places.flatMap(({ rivals }) => rivals), whole].map((key) => forks.get(key))
  const rival = present.find((other) => other && other.spelling !== fork.spelling)
  for (const { own } of places) if (!forks.has(own)) forks.set(own, fork)
  forks.set(whole, fork)
  return rival?.apiPath
}
