import { type LogMessage, type McpSidecar, toViaIds } from '@iii/protocol'
import { unwatched } from '../engine/call-context.ts'
import type { Worker } from '../worker/worker.ts'
import { createReportDelivery, type ReportTimings } from './report-delivery.ts'
import { createPermits } from './report-permits.ts'
import { createReportQueue, type Report } from './report-queue.ts'

/** Tells the client of a call what goes on. Nothing of it ever fails; each resolves when the client was told, or will not be. */
export interface Reporter {
  progress(progress: number, total?: number, message?: string): Promise<void>
  log(level: LogMessage['level'], data: unknown, logger?: string): Promise<void>
  closeStream(): Promise<void>
  /** Resolves when everything was told, within some seconds; from then on nothing is. */
  finish(): Promise<void>
}

export interface ReporterOptions {
  worker: Pick<Worker, 'trigger' | 'log'>
  /** Undefined when there is nobody to tell. */
  sidecar: McpSidecar | undefined
  /** Nobody listens any more once it fires. */
  signal: AbortSignal
  timings?: Partial<ReporterTimings> | undefined
}

export interface ReporterTimings extends ReportTimings {
  /** What the result of the function may be held back for. */
  finishMs: number
}

const TIMINGS: ReporterTimings = { sendMs: 2_000, restMs: 10_000, finishMs: 5_000 }
const LIMITS = { maxLogs: 256, maxLength: 1024 * 1024 }

/** Most calls tell nothing, and cost nothing here. */
export function createReporter({ sidecar, ...options }: ReporterOptions): Reporter {
  if (sidecar === undefined) return SILENT
  let active: Reporter | undefined
  let isOver = false
  const reporter = () => {
    if (isOver) return SILENT
    active ??= startReporter({ ...options, sidecar })
    return active
  }
  return {
    progress: (progress, total, message) => reporter().progress(progress, total, message),
    log: (level, data, logger) => reporter().log(level, data, logger),
    closeStream: () => reporter().closeStream(),
    async finish() {
      isOver = true
      await active?.finish()
    },
  }
}

function startReporter({ worker, sidecar, signal, timings }: ReporterOptions & { sidecar: McpSidecar }): Reporter {
  const { sendMs, restMs, finishMs } = { ...TIMINGS, ...timings }
  const { call_id, via, via_namespace: namespace } = sidecar
  const ids = toViaIds(via)
  const queue = createReportQueue(LIMITS)
  const permits = createPermits()
  const delivery = createReportDelivery({ worker, namespace, signal, sendMs, restMs })
  let isFinishing = false
  let isPumping = false
  let pumped = Promise.resolve()
  let timer: NodeJS.Timeout | undefined

  /** The bridge takes them as they come, and calls overtake each other: so one at a time. */
  async function pump(): Promise<void> {
    isPumping = true
    for (let report = next(); report !== undefined; report = next()) {
      await delivery.send(report)
      report.settle()
    }
    isPumping = false
  }

  function next(): Report | undefined {
    if (queue.mayWait && !isFinishing) {
      const waitMs = permits.take()
      if (waitMs > 0) {
        timer ??= setTimeout(wake, waitMs)
        return undefined
      }
    }
    return queue.take() ?? toNotice(queue.takeDropped())
  }

  function wake(): void {
    clearTimeout(timer)
    timer = undefined
    if (!isPumping) pumped = unwatched(pump)
  }

  function toNotice(dropped: number): Report | undefined {
    if (dropped === 0) return undefined
    const data = `${dropped} log messages were left out, because they came faster than they could be delivered`
    return { functionId: ids.log, payload: { call_id, level: 'warning', data }, settle: () => undefined }
  }

  function report(functionId: string, payload: Record<string, unknown>, put: (report: Report) => void): Promise<void> {
    if (isFinishing || delivery.isQuiet) return nextTurn()
    return new Promise((resolve) => {
      put({ functionId, payload: { call_id, ...payload }, settle: resolve })
      if (timer === undefined || !queue.mayWait) wake()
      // Whoever waits for it goes on, and what comes next takes its place.
      if (timer !== undefined) setImmediate(resolve)
    })
  }

  return {
    progress(progress, total, message) {
      if (sidecar.progress !== true || !Number.isFinite(progress)) return nextTurn()
      return report(ids.progress, { progress, total, message }, queue.putProgress)
    },
    log(level, data, logger) {
      const text = toText(data)
      if (text === undefined) return nextTurn()
      return report(ids.log, { level, data: JSON.parse(text), logger }, (entry) => queue.put(entry, text.length))
    },
    closeStream: () => report(ids.closeStream, {}, queue.put),
    async finish() {
      isFinishing = true
      wake()
      await within(finishMs, pumped, signal)
      delivery.end()
      queue.clear()
    },
  }
}

const SILENT: Reporter = {
  progress: () => nextTurn(),
  log: () => nextTurn(),
  closeStream: () => nextTurn(),
  finish: () => Promise.resolve(),
}

/** A function that reports in a tight loop gives others their turn. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}

/** A copy: what is logged must not change while it waits. Undefined for what JSON cannot hold. */
function toText(data: unknown): string | undefined {
  try {
    return JSON.stringify(data ?? null)
  } catch {
    return undefined
  }
}

async function within(ms: number, work: Promise<void>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(limit)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const limit = setTimeout(done, ms)
    signal.addEventListener('abort', done, { once: true })
    void work.then(done)
  })
}
