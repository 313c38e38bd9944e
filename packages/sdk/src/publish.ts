import {
  promptsFunctions,
  type RegisterPromptPayload,
  type RegisterSkillInput,
  skillsFunctions,
  toFault,
} from '@iii/protocol'
import { isAbsent } from './engine/invocation-error.ts'
import type { Logger } from './log.ts'
import { pause } from './pause.ts'
import type { Worker } from './worker/worker.ts'

export interface PublishContent {
  /** Markdown documents by id. */
  skills?: readonly RegisterSkillInput[] | undefined
  /** Slash commands; `function_id` renders them. */
  prompts?: readonly RegisterPromptPayload[] | undefined
  /** Takes everything back when the worker shuts down. @default false: agents keep it while the worker restarts */
  unregisterOnShutdown?: boolean | undefined
  /** @default the worker's */
  log?: Logger | undefined
  timings?: Partial<PublishTimings> | undefined
}

export interface PublishTimings {
  /** Pause before the second try; it doubles. @default 5_000 */
  firstDelayMs: number
  /** @default 60_000 */
  maxDelayMs: number
  /** Counted from the first try after a (re)connect. @default 180_000 */
  giveUpAfterMs: number
  /** Deadline of one registration. @default 5_000 */
  timeoutMs: number
}

export interface PublicationResult {
  /** `skill orders`, `prompt refund-order`, … */
  published: readonly string[]
  failed: readonly { item: string; reason: string }[]
}

/** Content on its way to the registry. `serve` may return it: then it is closed when the worker stops. */
export interface Publication {
  /** What came of it the first time: everything is there, refused, or given up. Never rejects. */
  readonly settled: Promise<PublicationResult>
  /** Tries no more, also not after a reconnect. What is published stays. */
  close(): void
}

interface Item {
  label: string
  register: { function_id: string; payload: object }
  unregister: { function_id: string; payload: object }
}

const TIMINGS: PublishTimings = { firstDelayMs: 5_000, maxDelayMs: 60_000, giveUpAfterMs: 180_000, timeoutMs: 5_000 }
const UNREGISTER_WITHIN_MS = 400
const HOPELESS = new Set(['invalid_input', 'too_large', 'forbidden'])

/**
 * Registers skills and prompts with the `skills` worker, as well as it can: that worker may be absent or come later, so
 * each registration is tried again with a growing pause until it is given up, and everything is said anew after each
 * reconnect. What the registry refuses is not tried again.
 */
export function publish(worker: Worker, content: PublishContent): Publication {
  const log = content.log ?? worker.log
  const timings = { ...TIMINGS, ...content.timings }
  const items = toItems(content)
  const published = new Map<string, Item>()
  let round = new AbortController()
  let settle: (result: PublicationResult) => void = () => undefined
  const settled = new Promise<PublicationResult>((resolve) => {
    settle = resolve
  })

  async function start(): Promise<void> {
    round.abort()
    round = new AbortController()
    const { signal } = round
    try {
      await worker.ready()
    } catch {
      return
    }
    const result = await publishAll(worker, items, { ...timings, log, signal })
    if (signal.aborted) return
    for (const item of items) if (result.published.includes(item.label)) published.set(item.label, item)
    settle(result)
  }

  async function takeBack(): Promise<void> {
    round.abort()
    const calls = [...published.values()].map(({ unregister }) =>
      worker.trigger({ ...unregister, timeoutMs: UNREGISTER_WITHIN_MS }),
    )
    await Promise.allSettled(calls)
  }

  const stopListening = worker.onStateChange((state) => {
    if (state === 'connected') void start()
    if (state !== 'closed') return
    round.abort()
    settle({ published: [], failed: toFailures(items, 'the worker was shut down') })
  })
  if (content.unregisterOnShutdown === true) worker.onShutdown(takeBack)
  if (worker.state === 'connected') void start()
  return {
    settled,
    close() {
      stopListening()
      round.abort()
    },
  }
}

interface RoundOptions extends PublishTimings {
  log: Logger
  signal: AbortSignal
}

/** Tries until nothing is missing, or it takes too long, or the signal fires. */
async function publishAll(worker: Worker, items: readonly Item[], options: RoundOptions): Promise<PublicationResult> {
  const { signal, firstDelayMs, maxDelayMs, giveUpAfterMs } = options
  const attempt = createAttempt(worker, options)
  const giveUpAt = performance.now() + giveUpAfterMs
  let missing = await attempt.run(
    items.map((item) => ({ item, reason: '' })),
    { isFirst: true },
  )
  for (let delayMs = firstDelayMs; missing.length > 0; delayMs = Math.min(delayMs * 2, maxDelayMs)) {
    if (signal.aborted || performance.now() + delayMs > giveUpAt) break
    await pause(delayMs, signal)
    missing = await attempt.run(missing, { isFirst: false })
  }
  const givenUp = missing.map(({ item, reason }) => ({ item: item.label, reason }))
  if (!signal.aborted) report(options.log, attempt.published, givenUp)
  return { published: attempt.published, failed: [...attempt.refused, ...givenUp] }
}

interface Missing {
  item: Item
  reason: string
}

function createAttempt(worker: Worker, { log, signal, timeoutMs }: RoundOptions) {
  const published: string[] = []
  const refused: { item: string; reason: string }[] = []
  const told = new Set<string>()

  async function tryItem(item: Item, isFirst: boolean): Promise<Missing | undefined> {
    const failure = await tryOnce(worker, item, timeoutMs)
    if (failure === undefined) published.push(item.label)
    else if (failure.hopeless) refused.push({ item: item.label, reason: failure.reason })
    if (failure === undefined) return undefined
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

function report(log: Logger, published: readonly string[], givenUp: PublicationResult['failed']): void {
  if (published.length > 0) log.info({ items: published }, 'published')
  if (givenUp.length === 0) return
  log.warn({ items: givenUp.map(({ item }) => item) }, 'gave up publishing; it is tried again after the next reconnect')
}

interface Failure {
  reason: string
  hopeless: boolean
  /** Nobody offers the registry's function. */
  isAbsent: boolean
}

async function tryOnce(worker: Worker, { register }: Item, timeoutMs: number): Promise<Failure | undefined> {
  try {
    await worker.trigger({ ...register, timeoutMs })
    return undefined
  } catch (error) {
    const { code, message } = toFault(error)
    return { reason: message, hopeless: HOPELESS.has(code), isAbsent: isAbsent(error, register.function_id) }
  }
}

function tellOnce(log: Logger, told: Set<string>, item: string, { reason, hopeless }: Failure): void {
  const key = `${item}: ${reason}`
  if (told.has(key)) return
  told.add(key)
  if (hopeless) log.error({ item, reason }, `the registry refuses ${item}: ${reason}`)
  else log.warn({ item, reason }, `${item} is not published yet: ${reason}; trying again`)
}

function toItems({ skills = [], prompts = [] }: PublishContent): Item[] {
  return [
    ...skills.map((skill) => ({
      label: `skill ${skill.id}`,
      register: { function_id: skillsFunctions.register.id, payload: skill },
      unregister: { function_id: skillsFunctions.unregister.id, payload: { id: skill.id } },
    })),
    ...prompts.map((prompt) => ({
      label: `prompt ${prompt.name}`,
      register: { function_id: promptsFunctions.register.id, payload: prompt },
      unregister: { function_id: promptsFunctions.unregister.id, payload: { name: prompt.name } },
    })),
  ]
}

function toFailures(items: readonly Item[], reason: string): PublicationResult['failed'] {
  return items.map(({ label: item }) => ({ item, reason }))
}
