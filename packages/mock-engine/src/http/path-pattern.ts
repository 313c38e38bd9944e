/** A part of a path that matches one segment, or what is left of one. */
export const PARAM = Symbol('param')
/** The end of a path that matches whatever is left. */
export const REST = Symbol('rest')

/** One character of a path, or what stands for many. */
export type Token = string | typeof PARAM | typeof REST

/** A registered path as the router takes it. */
export interface PathPattern {
  /** With its leading slash, and `:name` written as `{name}`: equal spellings share one place in the router. */
  readonly spelling: string
  readonly tokens: readonly Token[]
}

/** A path that the router cannot take: what is wrong with it. */
export interface BadPath {
  readonly problem: string
}

/** The router gives each parameter of a path a letter. */
const MAX_PARAMS = 25

/** A path as the router spells it; the leading slash may be missing. */
export function toSpelling(apiPath: string): string {
  const path = apiPath
    .split('/')
    .map((segment) => (segment.startsWith(':') ? `{${segment.slice(1)}}` : segment))
    .join('/')
  return path.startsWith('/') ? path : `/${path}`
}

/** Reads a path as a trigger's config has it. */
export function toPathPattern(apiPath: string): PathPattern | BadPath {
  const spelling = toSpelling(apiPath)
  const starred = spelling.split('/').find((segment) => segment.startsWith('*'))
  if (starred !== undefined) return { problem: `the segment '${starred}' begins with '*'` }
  const tokens = tokenise(markBraces(spelling))
  if (typeof tokens === 'string') return { problem: tokens }
  if (tokens.filter((token) => token === PARAM).length > MAX_PARAMS) {
    return { problem: `it has more than ${MAX_PARAMS} parameters` }
  }
  return { spelling, tokens }
}

/** A brace that is written twice is just a brace. Lone surrogates stand for it: no path that came in a frame has one. */
const BRACES: ReadonlyMap<string, string> = new Map([
  ['\ud800', '{'],
  ['\ud801', '}'],
])

function markBraces(path: string): string {
  return path.replace(/\{\{|\}\}/g, (pair) => (pair === '{{' ? '\ud800' : '\ud801'))
}

/** @returns the problem when there is one. */
function tokenise(text: string): Token[] | string {
  const tokens: Token[] = []
  let at = 0
  while (at < text.length) {
    const letter = text.charAt(at)
    if (letter === '}') return "a '}' closes nothing"
    const part = letter === '{' ? readParam(text, at) : { token: BRACES.get(letter) ?? letter, end: at + 1 }
    if (typeof part === 'string') return part
    tokens.push(part.token)
    at = part.end
  }
  return tokens
}

/** The first letter of a name may be anything, the others no '*' or '/'. */
const PARAMETER = /\{([^}\ud801][^*/}]*)\}/sy

/** @returns the problem when there is one. */
function readParam(text: string, at: number): { token: Token; end: number } | string {
  PARAMETER.lastIndex = at
  const name = PARAMETER.exec(text)?.[1]
  if (name === undefined || name === '*') return "a '{' begins no parameter '{name}'"
  const end = at + name.length + 2
  const rest = name.startsWith('*')
  if (rest && end < text.length) return "'{*name}' is not its end"
  if (end < text.length && text.charAt(end) !== '/') return 'a parameter is not the end of its segment'
  return { token: rest ? REST : PARAM, end }
}

/** Orders paths so that the first that matches is the one the router takes: a character before a parameter before the rest. */
export function compareTokens(a: readonly Token[], b: readonly Token[]): number {
  const at = a.findIndex((token, i) => token !== b[i])
  if (at < 0) return a.length - b.length
  return rank(a[at]) - rank(b[at])
}

function rank(token: Token | undefined): number {
  if (token === undefined) return -1
  if (token === PARAM) return 0x10000
  return token === REST ? 0x10001 : token.charCodeAt(0)
}

/** What matches a request path, still percent-encoded: a parameter may be empty, but not at the end. */
export function toMatcher(tokens: readonly Token[]): RegExp {
  const parts = tokens.map((token, i) => {
    if (token === REST) return '.+'
    if (token === PARAM) return i === tokens.length - 1 ? '[^/]+' : '[^/]*'
    return String(token).replace(/[\\^$.|?*+()[\]{}]/, '\\$&')
  })
  return new RegExp(`^${parts.join('')}$`, 's')
}

/** The values of the `:name` segments, none of them when a segment of the request is empty. */
export function toParams(apiPath: string, path: string): ReadonlyMap<string, string> {
  const names = apiPath.split('/').filter((segment) => segment !== '')
  const values = path.split('/').filter((segment) => segment !== '')
  if (names.length !== values.length) return new Map()
  return new Map(
    names.flatMap((name, i): [string, string][] => (name.startsWith(':') ? [[name.slice(1), values[i] ?? '']] : [])),
  )
}
