import { isRecord, type JsonObject } from '@iii/protocol'

/** What is known of a management tool before it is called. */
export interface ManagementTool {
  readonly name: string
  /** Its work belongs to the client that started this process: nobody else may use it. */
  readonly needsAttached: boolean
  /** What it does that the operator must have allowed; undefined for calls that any client may make. */
  readonly needsAllowRun?: string
  /** It works while the engine is away. */
  readonly worksAlone: boolean
  /** Its row in `tools/list`. */
  readonly row: JsonObject
}

const text = (description: string) => ({ type: 'string', description })
const functionId = text('The id of the function, for example orders::create')
const payload = { type: 'object', description: 'What the function is called with' }

const RUN = 'runs code on this machine'
const STOP = 'stops workers that run on this machine'
const CHANGE = 'changes the triggers of the engine'

export const MANAGEMENT_TOOLS: readonly ManagementTool[] = [
  toTool({
    name: 'iii_worker_register',
    description: 'Register a new worker (Node.js or Python)',
    needsAllowRun: RUN,
    required: {
      language: { type: 'string', enum: ['node', 'python'] },
      code: text(
        'node: a function expression such as `async (input) => ({ sum: input.a + input.b })`, or a module that exports `handler`. python: a module that defines `handler(input)`',
      ),
      function_name: text('The id that the function gets, for example math::add'),
    },
    optional: { description: text('What the function does, for whoever finds it in a list') },
    hints: { destructiveHint: true, openWorldHint: true },
  }),
  toTool({
    name: 'iii_worker_stop',
    description: 'Stop a worker',
    needsAllowRun: STOP,
    worksAlone: true,
    required: { id: text('The id that iii_worker_register returned') },
    hints: { destructiveHint: true, idempotentHint: true, openWorldHint: false },
  }),
  toTool({
    name: 'iii_trigger_register',
    description: 'Attach an http/cron/queue trigger to a function',
    needsAllowRun: CHANGE,
    required: {
      trigger_type: text('http, cron or queue'),
      function_id: functionId,
      config: {
        type: 'object',
        description:
          'http: { api_path, http_method }. cron: { expression } with six fields, beginning with seconds. queue: { topic }',
      },
    },
    hints: { destructiveHint: false, openWorldHint: false },
  }),
  toTool({
    name: 'iii_trigger_unregister',
    description: 'Unregister a trigger',
    needsAllowRun: CHANGE,
    worksAlone: true,
    required: { id: text('The id that iii_trigger_register returned') },
    hints: { destructiveHint: true, idempotentHint: true, openWorldHint: false },
  }),
  toTool({
    name: 'iii_trigger_void',
    description: 'Fire-and-forget function invocation',
    required: { function_id: functionId, payload },
    hints: { destructiveHint: true, openWorldHint: true },
  }),
  toTool({
    name: 'iii_trigger_enqueue',
    description: 'Enqueue to named queue',
    required: { function_id: functionId, payload },
    optional: { queue: text('The name of the queue; default when it is left out') },
    hints: { destructiveHint: true, openWorldHint: true },
  }),
]

/** The rows of all of them, as they stand in `tools/list`. */
export const MANAGEMENT_ROWS: string = toRows(MANAGEMENT_TOOLS.map(({ row }) => row))

const namespace = text("Where the function is; this server's own namespace when it is left out")

/** The same where functions of other namespaces are shown. */
export const PLACED_ROWS: string = toRows(
  MANAGEMENT_TOOLS.map(({ row }) => {
    const { inputSchema } = row
    const properties = isRecord(inputSchema) ? inputSchema['properties'] : undefined
    if (!isRecord(inputSchema) || !isRecord(properties) || !('function_id' in properties)) return row
    return { ...row, inputSchema: { ...inputSchema, properties: { ...properties, namespace } } }
  }),
)

function toRows(rows: readonly JsonObject[]): string {
  return rows.map((row) => JSON.stringify(row)).join(',')
}

export function findManagementTool(name: string): ManagementTool | undefined {
  return MANAGEMENT_TOOLS.find((tool) => tool.name === name)
}

interface ToolFacts {
  readonly name: string
  readonly description: string
  readonly needsAllowRun?: string
  readonly worksAlone?: boolean
  readonly required: JsonObject
  readonly optional?: JsonObject
  readonly hints: JsonObject
}

function toTool({
  name,
  description,
  needsAllowRun,
  worksAlone = false,
  required,
  optional,
  hints,
}: ToolFacts): ManagementTool {
  return {
    name,
    needsAttached: needsAllowRun !== undefined,
    ...(needsAllowRun === undefined ? {} : { needsAllowRun }),
    worksAlone,
    row: {
      name,
      description,
      inputSchema: { type: 'object', properties: { ...required, ...optional }, required: Object.keys(required) },
      annotations: { readOnlyHint: false, ...hints },
    },
  }
}

/** The text of an argument; undefined where it is missing, blank or something else. */
export function readText(input: JsonObject, name: string): string | undefined {
  const value = input[name]
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

/** The object of an argument, empty where it is left out; undefined for anything else. */
export function readObject(input: JsonObject, name: string): JsonObject | undefined {
  const value = input[name] ?? {}
  return isRecord(value) ? value : undefined
}
