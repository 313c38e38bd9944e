import { Fault, readMcpSidecar, type ToolResult, toJsonText } from '@iii/protocol'
import {
  type McpContext,
  type Registration,
  registerMcpFunction,
  type Settings,
  textBlock,
  type Worker,
} from '@iii/sdk'
import { MAX_WAIT_MS, RUN_JOB, RUN_REFUSAL, RunJobRequest, RunJobResponse } from '../contracts/run-job.ts'
import type { Plan } from '../jobs/plan.ts'
import type { Options } from '../options.ts'
import type { RunRecord } from '../record/run-record.ts'
import type { RunRequest, StartedRun } from '../runner/request.ts'
import { explainNoState } from '../store/no-state.ts'
import { createTaskDirectory } from '../tasks/directory.ts'
import { MAX_RESULT_BYTES } from './result-limit.ts'
import { requireUsable, toViewer } from './serve.ts'
import { toRunAnswer } from './short-record.ts'
import { readVisibility, requireJob } from './visibility.ts'

/** What begins a run. */
export interface RunStarter {
  start(request: RunRequest): Promise<StartedRun>
}

/** With everything around it. */
const TIMEOUT_MS = MAX_WAIT_MS + 60_000

/** Puts `run_job` on the bus: the one function that runs something, and refuses as long as the operator has not allowed it. */
export function serveRunJob(worker: Worker, settings: Settings<Options>, runner: RunStarter): void {
  let allowed = settings.value.allowRun
  let registration = register(worker, settings, runner)
  settings.onChange(() => {
    if (settings.value.allowRun === allowed) return
    allowed = settings.value.allowRun
    registration.unregister()
    registration = register(worker, settings, runner)
  })
}

function register(worker: Worker, settings: Settings<Options>, runner: RunStarter): Registration {
  const { allowRun } = settings.value
  const exposure = allowRun ? { expose: true } : { expose: false, refusal: RUN_REFUSAL }
  const options = {
    description:
      'Runs a job that the operator declared, and answers with its record: exit_code 0 when it passed. Results that are cached are not computed again.',
    request_format: RunJobRequest,
    response_format: RunJobResponse,
    // What is given to a job stands in the record of the run, by the schema of the job.
    metadata: { experimental: true, 'runs.record': 'none' },
    guard: () => requireAllowed(settings),
    mcp: {
      ...exposure,
      title: 'Run a job',
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
      timeout_ms: TIMEOUT_MS,
      task: 'optional' as const,
    },
  }
  return registerMcpFunction(
    worker,
    RUN_JOB,
    (request, mcp) => explainNoState(run({ worker, settings, runner }, request, mcp)),
    options,
  )
}

/** @throws Fault `forbidden` while running is off, on whatever way the call comes */
function requireAllowed(settings: Settings<Options>): void {
  requireUsable(settings)
  if (!settings.value.allowRun) throw new Fault('forbidden', RUN_REFUSAL)
}

interface Parts {
  readonly worker: Worker
  readonly settings: Settings<Options>
  readonly runner: RunStarter
}

async function run(parts: Parts, request: RunJobRequest, mcp: McpContext): Promise<RunJobResponse | ToolResult> {
  const { job, input, force, wait_ms: waitMs = MAX_WAIT_MS } = request
  const { maxBytes, ...asker } =
    mcp.client === undefined
      ? {
          via: 'bus' as const,
          caller_worker: mcp.call.callerWorkerId,
          check: undefined,
          maxBytes: MAX_RESULT_BYTES,
        }
      : await findClient(parts, job, mcp)
  const check = (plan: Plan) => {
    // Who asks for a client may take some time, in which it was switched off.
    requireAllowed(parts.settings)
    asker.check?.(plan)
  }
  const started = await parts.runner.start({
    job,
    input,
    force,
    signal: toCancelSignal(mcp.signal),
    onProgress: ({ done, total, task, status }) => void mcp.progress(done, total, `${task}: ${status}`),
    ...asker,
    check,
  })
  const answer = toRunAnswer(await waitFor(started, waitMs), maxBytes)
  return mcp.client === undefined ? answer : toToolResult(answer)
}

/** Who asks over MCP, and what it may run: the rest is no job to it. */
async function findClient({ worker, settings }: Parts, name: string, mcp: McpContext) {
  const { jobs, allowMetadataJobs } = settings.value
  const sidecar = readMcpSidecar(mcp.metadata)
  const all = await createTaskDirectory(worker).list()
  const visibility = await readVisibility(all, toViewer(worker, settings, mcp.metadata), jobs)
  const job = requireJob(name, visibility)
  if (job.declared === 'metadata' && !allowMetadataJobs.includes(name)) {
    const how = `the operator lists it under allow_metadata_jobs in the file of the worker runs`
    throw new Fault('forbidden', `The job ${name} is declared by its function alone and does not run over MCP: ${how}`)
  }
  const { client } = sidecar ?? {}
  return {
    via: 'mcp' as const,
    client: client && { name: client.name, version: client.version },
    session: visibility.viewer?.session,
    principal: visibility.viewer?.principal,
    maxBytes: visibility.maxBytes,
    // What is registered may have changed since.
    check: ({ tasks }: Plan) => {
      if (tasks.some(({ id }) => !visibility.tasks.has(id))) requireJob(name, { ...visibility, jobs: new Map() })
    },
  }
}

/** Whoever waits no longer has not cancelled the run. */
function toCancelSignal(signal: AbortSignal): AbortSignal {
  const cancelled = new AbortController()
  const onAbort = () => {
    const { reason } = signal
    if (!(reason instanceof Fault && reason.code === 'deadline')) cancelled.abort(reason)
  }
  if (signal.aborted) onAbort()
  signal.addEventListener('abort', onAbort, { once: true })
  return cancelled.signal
}

/** The run when it is over, or as it is after so long. */
async function waitFor(started: StartedRun, waitMs: number): Promise<RunRecord> {
  let timer: NodeJS.Timeout | undefined
  const later = new Promise<RunRecord>((resolve) => {
    timer = setTimeout(() => resolve(started.record()), waitMs)
  })
  try {
    return await Promise.race([started.finished, later])
  } finally {
    clearTimeout(timer)
  }
}

/** An error exactly when the command would end with a code other than 0. */
function toToolResult(answer: RunJobResponse): RunJobResponse | ToolResult {
  const { exit_code: exitCode = 0 } = answer
  if (exitCode === 0) return answer
  return { content: [textBlock(toJsonText(answer) ?? '')], structuredContent: { ...answer }, isError: true }
}
