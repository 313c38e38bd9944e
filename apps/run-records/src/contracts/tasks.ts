import { RECORD_POLICIES } from '@iii/protocol'
import { z } from 'zod'
import { EDGE_KINDS } from '../graph/edges.ts'
import { Status } from '../record/status.ts'
import { beginning, CURSOR_RULE, defineInspection, givenName, leftOut } from './contract.ts'

const LastRun = z.object({ run_id: z.string(), status: Status, started_at: z.string() })
const CachePolicy = z.object({ ttl_ms: z.number(), version: z.string().optional() })

/** A function that may be a part of a run. */
export const TaskEntry = z.object({
  id: z.string(),
  description: z.string().optional(),
  worker: z.string().optional().describe('As the engine reports it, which can be wrong'),
  depends_on: z.array(z.string()),
  triggers: z.array(z.string()).describe('Types of the triggers that are bound to it'),
  cache: CachePolicy.optional(),
  record: z.enum(RECORD_POLICIES).describe('What is kept of its inputs and results'),
  last_run: LastRun.optional(),
})
export type TaskEntry = z.output<typeof TaskEntry>

/** Something that may be run. */
export const JobEntry = z.object({
  name: z.string(),
  description: z.string(),
  declared: z.enum(['operator', 'metadata']),
  targets: z.array(z.string()),
  tasks: z.array(z.string()).describe('All that it runs, in order; empty when it cannot be run'),
  input: z.record(z.string(), z.unknown()).optional().describe('JSON Schema of its input; absent when it takes none'),
  lock: z.string(),
  schedule: z.string().optional(),
  runnable: z.boolean(),
  problem: z.string().optional().describe('Why it cannot be run'),
})
export type JobEntry = z.output<typeof JobEntry>

/** What a list of tasks gives to go on with: ids may be as long as names of what is looked for. */
const PlaceCursor = z
  .string()
  .max(8192)
  .regex(/^[A-Za-z0-9_-]+$/, CURSOR_RULE)

/** Which tasks of many. */
const part = {
  prefix: beginning.optional().describe('Only tasks whose id begins with it'),
  cursor: PlaceCursor.optional().describe('The `cursor` of the page before'),
}
const next = z.string().optional().describe('Asks for the next page')

export const listTasks = defineInspection({
  name: 'list_tasks',
  title: 'List tasks and jobs',
  description:
    'Lists the functions that can be parts of a run, with what they depend on and how they last went, and the jobs that can be run. Executes nothing.',
  request: z.strictObject(part),
  response: z.object({
    tasks: z.array(TaskEntry),
    jobs: z.array(JobEntry).describe('On the first page; those without room there come after the last tasks'),
    cursor: next,
    left_out: leftOut,
  }),
})

const GraphEdge = z.object({
  from: z.string(),
  to: z.string(),
  kind: z.enum(EDGE_KINDS),
  source: z.enum(['declared', 'engine', 'record']).describe('Who says so'),
  count: z.int().optional().describe('How often, as far as records are kept'),
  last_seen: z.string().optional(),
})

export const Graph = z.object({
  tasks: z.array(z.object({ id: z.string(), depends_on: z.array(z.string()), dependents: z.array(z.string()) })),
  execution_order: z.array(z.string()).describe('Without those that are in a cycle or wait for one'),
  edges: z.array(GraphEdge).describe('From what comes first to what comes after it because of it'),
  cycles: z.array(z.array(z.string())),
  missing: z.array(z.object({ id: z.string(), needed_by: z.array(z.string()) })),
  coverage: z.object({
    complete: z.boolean(),
    sources: z.array(z.string()),
    unseen: z.array(z.string()).describe('What nobody tells, so that edges may be missing'),
  }),
  left_out: leftOut,
})
export type Graph = z.output<typeof Graph>

export const graph = defineInspection({
  name: 'graph',
  title: 'Graph of tasks',
  description:
    'Shows what depends on what, in which order it would run, cycles and missing functions: of a job, or of all tasks, a page at a time. Executes nothing.',
  request: z.strictObject({
    job: givenName.optional().describe('Only what this job would run'),
    ...part,
  }),
  response: Graph.extend({ cursor: next }),
})

export const explainTask = defineInspection({
  name: 'explain_task',
  title: 'Explain a task',
  description:
    'Shows everything known of one function: schemas, metadata, what depends on it, jobs, triggers, cache policy and its last runs. Executes nothing.',
  request: z.strictObject({ task: givenName }),
  response: z.object({
    task: z.string(),
    description: z.string().optional(),
    worker: z.string().optional(),
    request_schema: z.unknown().optional(),
    response_schema: z.unknown().optional(),
    metadata: z.unknown().optional(),
    depends_on: z.array(z.string()),
    dependents: z.array(z.string()),
    jobs: z.array(z.string()),
    triggers: z.array(z.object({ type: z.string(), from: z.string() })),
    fingerprint: z.string().describe('Changes with the definition, not with the code'),
    cache: z.object({
      enabled: z.boolean(),
      reason: z.string(),
      policy: CachePolicy.optional(),
      key_of: z.array(z.string()).describe('What a cached result depends on'),
    }),
    record: z.enum(RECORD_POLICIES),
    gate: z.object({ shown: z.boolean(), reason: z.string().optional() }).describe('Whether MCP clients may see it'),
    last_runs: z.array(LastRun),
    left_out: leftOut,
  }),
})
