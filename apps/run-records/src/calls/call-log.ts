import type { McpCallRecord } from '@iii/protocol'
import type { Logger } from '@iii/sdk'
import { RUN_JOB } from '../contracts/run-job.ts'
import type { Options } from '../options.ts'
import { createDigests } from '../record/digests.ts'
import type { CallEntry } from '../store/call-rows.ts'
import { toKeep } from '../store/keep.ts'
import type { RunStore } from '../store/store.ts'
import { readBatch, type Told } from './batch.ts'
import { toCallGap, toCallRecord } from './call-entry.ts'
import { createWaiting } from './waiting.ts'

/** Writes down what bridges tell of calls, a hundred at a time or every two seconds. */
export interface CallRecorder {
  /** Takes what a bridge tells; never waits and never throws. */
  hear(batch: unknown): void
  /** Writes what is left. */
  close(): Promise<void>
}

export interface CallRecorderParts {
  readonly store: Pick<RunStore, 'addCalls' | 'facts'>
  options(): Options
  /** Of this worker; undefined for `default`. */
  readonly namespace?: string | undefined
  readonly log: Logger
  /** @default 2000 */
  readonly flushMs?: number | undefined
  /** What waits for a store that does not answer; what comes then is counted alone. @default 10000 */
  readonly maxWaiting?: number | undefined
}

const FLUSH_MS = 2000
const FLUSH_CALLS = 100
const MAX_WAITING = 10_000
/** Two processes of this worker may both be bound: what was heard a moment ago is not heard again. */
const MAX_REMEMBERED = 2_000

/** Who looks at records would write some with each look, and find little else in them. */
function isLook({ function_id: id = '' }: McpCallRecord): boolean {
  return id.startsWith('runs::') && id !== RUN_JOB
}

export function createCallRecorder(parts: CallRecorderParts): CallRecorder {
  const { store, options, log, flushMs = FLUSH_MS, maxWaiting = MAX_WAITING } = parts
  const waiting = createWaiting(maxWaiting)
  let missed = 0
  let writing: Promise<boolean> | undefined
  let timer: NodeJS.Timeout | undefined
  const remembered = new Set<string>()

  function isNew({ call_id, kind, outcome }: McpCallRecord): boolean {
    const key = `${call_id} ${kind} ${outcome}`
    if (remembered.has(key)) return false
    remembered.add(key)
    for (const oldest of remembered) if (remembered.size > MAX_REMEMBERED) remembered.delete(oldest)
    return true
  }

  function take(told: Told): void {
    if (told.gap === undefined && (isLook(told.call) || !isNew(told.call))) return
    if (!waiting.push(told)) missed += told.gap?.dropped ?? 1
  }

  async function write(): Promise<void> {
    const facts = await store.facts.ensure()
    const digests = createDigests(facts.digestKey)
    const keeping = { digests, maxBytes: options().recordInputBytes, namespace: parts.namespace }
    const toEntry = (told: Told): CallEntry =>
      told.gap === undefined ? toCallRecord(told.call, keeping) : toCallGap(told.gap)
    const batch = waiting.first(FLUSH_CALLS)
    const entries = batch.map(toEntry)
    try {
      await store.addCalls(entries, facts.digestKey, toKeep(options()))
    } finally {
      // What was written is taken out of the list of entries.
      waiting.drop(batch.length - entries.length)
    }
    if (missed === 0) return
    const told = missed
    const gaps: CallEntry[] = [{ kind: 'gap', missed, at: new Date().toISOString() }]
    try {
      await store.addCalls(gaps, facts.digestKey, toKeep(options()))
    } finally {
      if (gaps.length === 0) missed -= told
    }
  }

  /** @returns whether the store has taken it */
  async function tryWrite(): Promise<boolean> {
    try {
      await write()
      return true
    } catch (error) {
      log.warn({ reason: String(error), waiting: waiting.length }, 'calls could not be written down yet')
      return false
    }
  }

  function flush(): Promise<boolean> {
    clearTimeout(timer)
    timer = undefined
    writing ??= tryWrite().then((isTaken) => {
      writing = undefined
      flushWhenDue(isTaken)
      return isTaken
    })
    return writing
  }

  /** What makes a whole row is written at once, unless the store has just failed. */
  function flushWhenDue(isAnswering = true): void {
    if (waiting.length >= FLUSH_CALLS && isAnswering) void flush()
    else if (waiting.length > 0) schedule()
  }

  function schedule(): void {
    timer ??= setTimeout(() => void flush(), flushMs).unref()
  }

  return {
    hear(batch) {
      if (!options().recordCalls) return
      for (const told of readBatch(batch)) take(told)
      flushWhenDue()
    },
    async close() {
      let isTaken = true
      while (isTaken && (writing !== undefined || waiting.length > 0)) isTaken = await flush()
      clearTimeout(timer)
    },
  }
}
