import { isInternalId, type JsonObject } from '@iii/protocol'
import { checkApiPath } from '@iii/sdk'
import { parseApiPath } from '../mcp/api-path.ts'

/** What the engine calls the types of trigger that clients may attach. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ['http', 'http'],
  ['cron', 'cron'],
  ['queue', 'durable:subscriber'],
  ['durable:subscriber', 'durable:subscriber'],
])

/**
 * The engine's name for a type of trigger. Others are not attached for clients: some would tell a function what is nobody's business (state,
 * logs, configuration), and a subscriber that leaves takes all subscribers of its topic along on engine 0.22.1.
 */
export function toTriggerType(asked: string): string | undefined {
  return TYPES.get(asked)
}

/** Says what is wrong with a configuration that the engine would not survive, or would take and never act on. */
export function checkConfig(type: string, config: JsonObject, ownPath: string): string | undefined {
  if (type === 'http') return checkHttp(config, ownPath)
  if (type === 'cron') return checkCron(config['expression'])
  const { topic } = config
  return typeof topic === 'string' && topic.trim() !== ''
    ? undefined
    : 'A queue trigger needs the name of its topic, for example { "topic": "orders" }'
}

const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS']

function checkHttp({ api_path: path, http_method: method = 'GET' }: JsonObject, ownPath: string): string | undefined {
  const problem = checkApiPath(path)
  if (problem !== undefined) return problem
  if (typeof method !== 'string' || !METHODS.includes(method.toUpperCase())) {
    return `http_method must be one of ${METHODS.join(', ')}`
  }
  const segments = toSegments(String(path))
  if (segments[0] === '.well-known') return `api_path '${String(path)}' is reserved, like all below /.well-known`
  const own = toSegments(parseApiPath(ownPath)?.path ?? ownPath)
  if (isMatch(segments, own)) return `api_path '${String(path)}' is where this server itself is reached`
  return undefined
}

function toSegments(path: string): string[] {
  return path.replace(/^\//, '').split('/')
}

/** Would a request for the path of this server, or for one below it, lead there? A parameter stands for any segment. */
function isMatch(segments: readonly string[], own: readonly string[]): boolean {
  return own.every((segment, at) => segments[at] === segment || segments[at]?.startsWith(':') === true)
}

const MAX_EXPRESSION_LENGTH = 256

function checkCron(expression: unknown): string | undefined {
  if (typeof expression !== 'string' || expression.trim() === '' || expression.length > MAX_EXPRESSION_LENGTH) {
    return 'A cron trigger needs an expression, for example { "expression": "0 */5 * * * *" }'
  }
  const fields = expression.trim().split(/\s+/)
  if (fields.length === 6 || fields.length === 7) return undefined
  const hint =
    fields.length === 5 ? `, so this one is '0 ${fields.join(' ')}'` : ', and a year at the end where it is wanted'
  return `The cron expression '${expression}' has ${fields.length} fields; here it has six, beginning with seconds${hint}`
}

const FUNCTION_KEY = /function_?ids?$/i
/** What these hold is never taken for the id of a function. */
const PLAIN_KEYS = ['api_path', 'http_method', 'expression', 'topic']

/**
 * All functions that a configuration names: conditions and middleware, however deep, and also whatever is in an internal namespace under a
 * key that nobody here knows.
 */
export function findFunctions(config: JsonObject): string[] {
  return [...new Set(walk(config, false))]
}

function* walk(value: unknown, isFunction: boolean): Generator<string> {
  if (typeof value === 'string') {
    if (isFunction || isHiddenFunction(value)) yield value
    return
  }
  if (typeof value !== 'object' || value === null) return
  // The places of a list say nothing of what stands there.
  const isList = Array.isArray(value)
  for (const [key, item] of Object.entries(value)) {
    if (isList || !PLAIN_KEYS.includes(key)) yield* walk(item, isFunction || (!isList && FUNCTION_KEY.test(key)))
  }
}

function isHiddenFunction(text: string): boolean {
  return text.includes('::') && isInternalId(text)
}
