/** The path that a bridge serves, and the function id that goes with it. */
export interface ApiPath {
  /** With its leading slash. */
  readonly path: string
  /** What the engine's HTTP trigger calls. Each path has its own, so that bridges share an engine. */
  readonly functionId: string
}

const SEGMENT = /^[A-Za-z0-9._~-]{1,64}$/
const MAX_SEGMENTS = 8
const DEFAULT_PATH = '/mcp'
/** What lies below it tells clients of a whole host, whoever gives tokens for it among that. */
const WELL_KNOWN = '.well-known'

/**
 * Reads an `api_path`; `mcp` and `/mcp` are the same.
 *
 * A path that the engine's router cannot read takes the HTTP side of the whole engine down, so nothing but plain
 * segments gets through: no parameters, wildcards, braces, empty or dot segments. Nor does what is below `/.well-known`.
 */
export function parseApiPath(text: string): ApiPath | undefined {
  const segments = text.replace(/^\//, '').split('/')
  if (segments.length > MAX_SEGMENTS || segments[0] === WELL_KNOWN) return undefined
  if (!segments.every((segment) => SEGMENT.test(segment) && segment !== '.' && segment !== '..')) return undefined
  const path = `/${segments.join('/')}`
  return { path, functionId: path === DEFAULT_PATH ? 'mcp::handler' : `mcp::handler::${segments.join('::')}` }
}

const HANDLER_ID = /^mcp::handler(?:::([^:]+(?:::[^:]+)*))?$/

/** @returns the path that goes with a function id; undefined for functions that serve none */
export function parseHandlerId(functionId: string): string | undefined {
  const found = HANDLER_ID.exec(functionId)
  return found === null ? undefined : `/${found[1]?.replaceAll('::', '/') ?? DEFAULT_PATH.slice(1)}`
}

/** Where probes ask how the bridge of this path is. */
export function toHealthPath({ path, functionId }: ApiPath): ApiPath {
  return { path: `${path}/health`, functionId: functionId.replace('mcp::handler', 'mcp::health') }
}
