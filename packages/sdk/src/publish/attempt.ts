import { toFault } from '@iii/protocol'
import { isAbsent } from '../engine/invocation-error.ts'
import type { Logger } from '../log.ts'
import type { Worker } from '../worker/worker.ts'

/** A skill or prompt that is published by one call, and taken back by another one. */
export interface Item {
  label: string
  /** What goes before the registration, in messages of their own. */
  ahead?: readonly { function_id: string; payload: object }[]
  register: { function_id: string; payload: object }
  unregister: { function_id: string; payload: object }
}

/** What is not published yet, and why. */
export interface Missing {
  item: Item
  reason: string
}

export interface AttemptOptions {
  log: Logger
  signal: AbortSignal
  /** Deadline of one registration. */
  timeoutMs: number
  onPublished(item: Item): void
  /** The registry does not take it, whenever it is tried. */
  onRefused(item: Item, reason: string): void
}

/** Tries items once each, and knows what has been published, what was refused, and what the log has been told. */
export function createAttempt(worker: Worker, options: AttemptOptions) {
  const { log, signal, timeoutMs, onPublished, onRefused } = options
  const published: string[] = []
  const refused: { item: string; reason: string }[] = []
  const told = new Set<string>()

  async function tryItem(item: Item, isFirst: boolean): Promise<Missing | undefined> {
    const failure = await tryOnce(worker, item, timeoutMs)
    if (failure === undefined) {
      published.push(item.label)
      onPublished(item)
      return undefined
    }
    if (failure.hopeless) {
      refused.push({ item: item.label, reason: failure.reason })
      onRefused(item, failure.reason)
    }
    // A registry that starts beside this worker is no news, nor is one that a test does without.
    const isNews = !(signal.aborted || (isFirst && failure.isAbsent))
    if (isNews) tellOnce(log, told, item.label, failure)
    return failure.hopeless ? undefined : { item, reason: failure.reason }
  }

  return {
    published,
    refused,
    /** Answers what is still missing. */
    async run(items: readonly Missing[], { isFirst }: { isFirst: boolean }): Promise<Missing[]> {
      const missing: Missing[] = []
      for (const before of items) {
        if (signal.aborted) return [...items]
        const still = await tryItem(before.item, isFirst)
        if (still !== undefined) missing.push(still)
      }
      return missing
    },
  }
}

const HOPELESS = new Set(['invalid_input', 'too_large', 'forbidden'])

interface Failure {
  reason: string
  hopeless: boolean
  /** Nobody offers the registry's function. */
  isAbsent: boolean
}

async function tryOnce(
  worker: Worker,
  { ahead = [], register }: Item,
  timeoutMs: number,
): Promise<Failure | undefined> {
  try {
    for (const part of ahead) await worker.trigger({ ...part, timeoutMs })
    // What has come ahead is stored now, all of it.
    await worker.trigger({ ...register, timeoutMs: timeoutMs * (1 + ahead.length) })
    return undefined
  } catch (error) {
    const { code, message } = toFault(error)
    return { reason: message, hopeless: HOPELESS.has(code), isAbsent: isAbsent(error, register.function_id) }
  }
}

const ABSENT =
  'skills and prompts are not published yet: this engine has no registry. Start one, for example with npx @iii/skills; trying again'

function tellOnce(log: Logger, told: Set<string>, item: string, { reason, hopeless, isAbsent }: Failure): void {
  const key = isAbsent ? ABSENT : `${item}: ${reason}`
  if (told.has(key)) return
  told.add(key)
  if (isAbsent) log.warn({ reason }, ABSENT)
  else if (hopeless) log.error({ item, reason }, `the registry refuses ${item}: ${reason}`)
  else log.warn({ item, reason }, `${item} is not published yet: ${reason}; trying again`)
}
