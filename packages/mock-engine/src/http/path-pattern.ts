/** One part of a registered path, between slashes. */
type Segment =
  | { readonly kind: 'literal'; readonly text: string }
  /** `:name`, or `{name}`, which matches but tells nobody its value. */
  | { readonly kind: 'param'; readonly name: string | undefined }
  /** `{*rest}` at the end. */
  | { readonly kind: 'rest' }

/** A registered path, ready to be compared with requests. */
export interface PathPattern {
  /** The same for two patterns that match the same paths. */
  readonly shape: string
  /** The path with its leading slash. */
  readonly path: string
  readonly segments: readonly Segment[]
}

/** Reads a path as a trigger's config has it; the leading slash may be missing. */
export function toPathPattern(apiPath: string): PathPattern {
  const path = apiPath.startsWith('/') ? apiPath : `/${apiPath}`
  const segments = path.slice(1).split('/').map(toSegment)
  const shape = segments.map((segment) => (segment.kind === 'literal' ? segment.text : `{${segment.kind}}`)).join('/')
  return { shape, path, segments }
}

function toSegment(text: string): Segment {
  if (/^:./.test(text)) return { kind: 'param', name: text.slice(1) }
  if (/^\{\*[^{}]+\}$/.test(text)) return { kind: 'rest' }
  return /^\{[^{}*]+\}$/.test(text) ? { kind: 'param', name: undefined } : { kind: 'literal', text }
}

/**
 * Compares a request path, still percent-encoded, with a pattern.
 *
 * @returns the values of the named parameters, none of them when one is empty; `undefined` when the path does not match.
 */
export function matchPath({ segments }: PathPattern, path: string): Map<string, string> | undefined {
  if (!path.startsWith('/')) return undefined
  const parts = path.slice(1).split('/')
  const whole = segments.at(-1)?.kind === 'rest' ? parts.length >= segments.length : parts.length === segments.length
  if (!whole || !segments.every((segment, i) => fits(segment, parts[i] ?? '', i === parts.length - 1))) return undefined
  const params = segments.flatMap((segment, i): [string, string][] =>
    segment.kind === 'param' && segment.name !== undefined ? [[segment.name, parts[i] ?? '']] : [],
  )
  return new Map(params.some(([, value]) => value === '') ? [] : params)
}

/** An empty part fits a parameter, but not at the end of the path. */
function fits(segment: Segment, part: string, last: boolean): boolean {
  return segment.kind === 'literal' ? part === segment.text : part !== '' || !last
}

/** Orders patterns that match the same path: a literal part comes before a parameter, a parameter before the rest. */
export function comparePatterns(a: PathPattern, b: PathPattern): number {
  const rank = { literal: 0, param: 1, rest: 2 }
  for (const [i, segment] of a.segments.entries()) {
    const other = b.segments[i]
    const difference = other ? rank[segment.kind] - rank[other.kind] : 1
    if (difference !== 0) return difference
  }
  return a.segments.length - b.segments.length
}
