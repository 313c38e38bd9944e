import { Fault } from '@iii/protocol'
import { refuseMistyped, requireTexts } from '../suggestions/mistyped.ts'
import { isBuiltInType, TRIGGER_CONFIG_NAMES, type TriggerConfigs } from './trigger-configs.ts'

const LITERAL_SEGMENT = /^[A-Za-z0-9._~-]+$/
const PARAM_SEGMENT = /^:[A-Za-z_][A-Za-z0-9_]*$/
const METHODS = new Set(['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS'])

/**
 * Checks the config of a trigger before the engine sees it, where the engine would not survive a wrong one or would
 * accept it and never act on it (engine contract: paths that can break the engine; streams without a name, subscribers without a topic).
 *
 * @throws Fault `invalid_input` that says what would be right.
 */
export function checkTriggerConfig(type: string, config: unknown): void {
  if (isBuiltInType(type)) checkNames(type, fieldsOf(config))
  if (type === 'http') checkHttpConfig(fieldsOf(config))
  else if (type === 'cron') checkCronConfig(fieldsOf(config))
  else if (type === 'stream' || type.startsWith('stream:')) checkStreamConfig(type, fieldsOf(config))
  else if (type === 'log') checkLogConfig(fieldsOf(config))
  else if (type === 'subscribe' || type === 'durable:subscriber') checkTopicConfig(type, fieldsOf(config))
}

/**
 * Says what is wrong with the path of an http trigger; undefined when the engine can route it.
 *
 * @example
 * checkApiPath('/orders/:id') // undefined
 */
export function checkApiPath(path: unknown): string | undefined {
  if (typeof path !== 'string' || path === '') return "api_path is required, for example '/orders/:id'"
  const segments = toSegments(path)
  const names = new Set<string>()
  for (const [index, segment] of segments.entries()) {
    const isLast = index === segments.length - 1
    const problem = checkSegment(segment, isLast && (segments.length > 1 || path === '/'))
    if (problem !== undefined) return `api_path '${path}' ${problem}`
    if (segment.startsWith(':') && names.has(segment)) return `api_path '${path}' has the parameter '${segment}' twice`
    names.add(segment)
  }
  return undefined
}

/**
 * The earlier one of our paths that names a parameter differently where the two are the same so far; the engine's
 * router does not survive such a pair when their methods differ.
 */
export function findParamConflict(path: string, earlier: Iterable<string>): string | undefined {
  const segments = toSegments(path)
  for (const other of earlier) if (hasParamConflict(segments, toSegments(other))) return other
  return undefined
}

function hasParamConflict(one: readonly string[], other: readonly string[]): boolean {
  const at = one.findIndex((segment, index) => segment !== other[index])
  return at !== -1 && one[at]?.startsWith(':') === true && other[at]?.startsWith(':') === true
}

function toSegments(path: string): string[] {
  return path.replace(/^\//, '').split('/')
}

function checkSegment(segment: string, mayBeEmpty: boolean): string | undefined {
  if (segment === '') return mayBeEmpty ? undefined : "has an empty segment; write each '/' once"
  if (LITERAL_SEGMENT.test(segment) || PARAM_SEGMENT.test(segment)) return undefined
  return `has the segment '${segment}'; a segment is letters, digits and . _ ~ - or a parameter like ':id'`
}

/** With a condition that is no id the engine calls the function unasked. */
function checkNames(type: keyof TriggerConfigs, config: Record<string, unknown>): void {
  const what = `The config of a trigger of type '${type}'`
  refuseMistyped(what, config, TRIGGER_CONFIG_NAMES[type])
  requireTexts(what, config, ['condition_function_id'])
}

function checkHttpConfig(config: Record<string, unknown>): void {
  checkMiddleware(config['middleware_function_ids'])
  const problem = checkApiPath(config['api_path'])
  if (problem !== undefined) throw new Fault('invalid_input', problem)
  const method = config['http_method']
  if (method === undefined) return
  if (typeof method !== 'string' || !METHODS.has(method.toUpperCase())) {
    throw new Fault('invalid_input', `http_method '${String(method)}' is none of ${[...METHODS].join(', ')}`)
  }
}

/** What is no id the engine passes over without a word, and the route is open to everybody. */
function checkMiddleware(given: unknown): void {
  if (given === undefined || given === null) return
  if (Array.isArray(given) && given.every((id) => typeof id === 'string' && id !== '')) return
  throw new Fault(
    'invalid_input',
    `A trigger of type 'http' takes middleware_function_ids as a list of ids, such as ['orders::authenticate'], not ${JSON.stringify(given)}`,
  )
}

/**
 * Says what is wrong with an expression that the engine would refuse: its clock has seconds, which a crontab has not. What the engine
 * alone knows to be wrong is not seen here.
 *
 * @example
 * checkCronExpression('0 6 * * *') // "The cron expression '0 6 * * *' has five fields, …"
 */
export function checkCronExpression(expression: string): string | undefined {
  const trimmed = expression.trim()
  if (trimmed === '') return "The cron expression is empty, and should be one such as '0 */5 * * * *'"
  if (trimmed.split(/\s+/).length !== 5) return undefined
  const text = `The cron expression '${expression}' has five fields, and the engine reads six or seven, seconds first`
  return `${text}: '0 ${trimmed}'. In the last one 1 is Sunday`
}

function checkCronConfig({ expression }: Record<string, unknown>): void {
  const isText = typeof expression === 'string' && expression.trim() !== ''
  const problem = isText
    ? checkCronExpression(expression)
    : "A trigger of type 'cron' needs config.expression, for example '0 */5 * * * *'"
  if (problem !== undefined) throw new Fault('invalid_input', problem)
}

function checkStreamConfig(type: string, config: Record<string, unknown>): void {
  const name = config['stream_name']
  if (typeof name === 'string' && name !== '') return
  throw new Fault('invalid_input', `A trigger of type '${type}' needs the name of its stream as config.stream_name`)
}

function checkTopicConfig(type: string, { topic }: Record<string, unknown>): void {
  if (typeof topic === 'string' && topic !== '') return
  throw new Fault('invalid_input', `A trigger of type '${type}' needs config.topic, for example 'orders.created'`)
}

/** The engine compares it with the levels of lines in small letters, and takes any other without a word. */
function checkLogConfig({ level }: Record<string, unknown>): void {
  if (level === undefined || level === null) return
  if (typeof level === 'string' && level === level.toLowerCase()) return
  const right = "a level in small letters, such as 'warn', or 'all'"
  throw new Fault(
    'invalid_input',
    `A trigger of type 'log' takes ${right} as config.level, not ${JSON.stringify(level)}`,
  )
}

function fieldsOf(config: unknown): Record<string, unknown> {
  return typeof config === 'object' && config !== null ? (config as Record<string, unknown>) : {}
}
