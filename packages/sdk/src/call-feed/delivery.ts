import type { McpCallBatch } from '@iii/protocol'
import { isAbsent } from '../engine/invocation-error.ts'
import { messageOf } from '../engine/message-of.ts'
import type { Logger } from '../log.ts'
import type { Binding } from '../worker/trigger-types.ts'
import type { Worker } from '../worker/worker.ts'
import { type BacklogLimits, createBacklog, type Taken } from './backlog.ts'
import type { Entry } from './entry.ts'
import { createFilter } from './filter.ts'

export interface DeliveryLimits extends BacklogLimits {
  /** Records in one call. */
  readonly batch: number
  /** The oldest record of a batch waits so long for others. */
  readonly batchMs: number
  readonly timeoutMs: number
  /** A subscriber that did not take a batch gets the next one after so long. */
  readonly awayMs: number
}

export const DELIVERY_LIMITS: DeliveryLimits = {
  batch: 100,
  batchMs: 200,
  waiting: 10_000,
  inputBytes: 8 * 1024 * 1024,
  timeoutMs: 5_000,
  awayMs: 1_000,
}

/** Tells one subscriber, a batch at a time. */
export interface BatchDelivery {
  readonly wantsInput: boolean
  /** Never waits and never throws. */
  add(entry: Entry): void
  /** What waits has waited for others already: a subscriber that listens is told now. */
  hurry(): void
  /** Its binding as it is now. */
  bind(binding: Binding): void
  /** It has left, and may come back: what comes meanwhile waits. */
  hold(): void
  /** Tells what waits, once. */
  flush(): Promise<void>
  stop(): void
}

export interface BatchDeliveryOptions {
  readonly worker: Pick<Worker, 'trigger' | 'state'>
  readonly via: string
  readonly limits: DeliveryLimits
  /** Told how many records nobody hears of. */
  readonly onDropped?: ((count: number) => void) | undefined
  readonly log: Logger
}

export function createBatchDelivery(first: Binding, options: BatchDeliveryOptions): BatchDelivery {
  const { worker, via, limits, onDropped, log } = options
  const backlog = createBacklog(limits, onDropped)
  let binding = first
  let wants = createFilter(first.config)
  const trouble = createTrouble(log)
  let isHeld = false
  let sending: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined

  const wantsInput = () => (binding.config as { inputs?: unknown } | null | undefined)?.inputs === true

  function arm(delayMs: number): void {
    if (timer === undefined && sending === undefined && !isHeld && backlog.size > 0) {
      timer = setTimeout(() => void flush(), delayMs).unref()
    }
  }

  function disarm(): void {
    clearTimeout(timer)
    timer = undefined
  }

  function flush(): Promise<void> {
    disarm()
    // Whoever ends waits for a batch that is under way too: nobody knows yet whether it is taken.
    if (isHeld || backlog.size === 0) return sending ?? Promise.resolve()
    sending ??= send().then((pauseMs) => {
      sending = undefined
      arm(pauseMs)
    })
    return sending
  }

  /** @returns how long the next batch waits */
  async function send(): Promise<number> {
    if (worker.state !== 'connected') return limits.awayMs
    const taken = backlog.take(limits.batch)
    const { function_id } = binding
    try {
      await worker.trigger({ ...toTarget(binding), payload: toBatch(taken, via), timeoutMs: limits.timeoutMs })
      trouble.taken(function_id)
      return backlog.size >= limits.batch ? 0 : limits.batchMs
    } catch (error) {
      // One that is not there has seen nothing; of any other nobody knows.
      if (isAbsent(error, function_id)) backlog.putBack(taken)
      else backlog.lose(taken)
      trouble.failed(function_id, error)
      return limits.awayMs
    }
  }

  return {
    get wantsInput() {
      return wantsInput()
    },
    add(entry) {
      if (!wants(entry.record)) return
      backlog.add(entry, wantsInput())
      if (backlog.size >= limits.batch && !trouble.isOn) void flush()
      else arm(limits.batchMs)
    },
    hurry() {
      if (!trouble.isOn) void flush()
    },
    bind(next) {
      // A list of bindings tells neither their metadata nor where their functions are.
      const { metadata = binding.metadata, namespace = binding.namespace } = next
      binding = { ...next, metadata, namespace }
      wants = createFilter(next.config)
      isHeld = false
      arm(0)
    },
    hold() {
      isHeld = true
      disarm()
    },
    flush,
    stop() {
      isHeld = true
      disarm()
      backlog.clear()
    },
  }
}

/** One line for all batches in a row that are not taken. */
function createTrouble(log: Logger) {
  const trouble = {
    isOn: false,
    failed(function_id: string, error: unknown): void {
      const reason = messageOf(error)
      log[trouble.isOn ? 'debug' : 'warn']({ function_id, reason }, 'a subscriber did not take records of calls')
      trouble.isOn = true
    },
    taken(function_id: string): void {
      if (trouble.isOn) log.info({ function_id }, 'the subscriber takes records of calls again')
      trouble.isOn = false
    },
  }
  return trouble
}

function toTarget({ function_id, namespace, metadata }: Binding) {
  return { function_id, namespace, metadata }
}

function toBatch({ entries, gap }: Taken, via: string): McpCallBatch {
  const calls = entries.map(({ record, input }) => (input === undefined ? record : { ...record, input }))
  return { version: 1, via, calls, ...(gap === undefined ? {} : { gap }) }
}
