import {
  Fault,
  isRecord,
  promptsFunctions,
  type RegisterPromptPayload,
  type RegisterSkillInput,
  skillsFunctions,
} from '@iii/protocol'
import type { Logger } from '../log.ts'
import { pause } from '../pause.ts'
import {
  type NamesOf,
  refuseMistyped,
  requireBooleans,
  requireMs,
  requireTimerMs,
  requireWorker,
} from '../suggestions/mistyped.ts'
import type { Worker } from '../worker/worker.ts'
import { createAttempt, type Item, type Missing } from './attempt.ts'
import { REGISTRATION, toSkillRegistration } from './registration.ts'

export interface PublishContent {
  /** Markdown documents by id. */
  skills?: readonly RegisterSkillInput[] | undefined
  /** Slash commands; `function_id` renders them. */
  prompts?: readonly RegisterPromptPayload[] | undefined
  /**
   * Whether all of it lives as long as this worker: when it leaves and does not come back within 30 seconds (a setting of the registry), it is
   * taken out of lists, and reading it says that its worker is away. @default false: agents keep it
   */
  lease?: boolean | undefined
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
  /** When `settled` tells what is missing, counted from the first try; that is tried again all the same. @default 180_000 */
  settleAfterMs: number
  /** Deadline of one registration; one of several messages has so much for each of them. @default 5_000 */
  timeoutMs: number
}

export interface PublicationResult {
  /** `skill orders`, `prompt refund-order`, … */
  published: readonly string[]
  failed: readonly { item: string; reason: string }[]
}

/** Content on its way to the registry. `serve` may return it: then it is closed when the worker stops. */
export interface Publication {
  /** What came of it the first time: everything is there, refused, or late, or it was closed before. Never rejects. */
  readonly settled: Promise<PublicationResult>
  /** Tries no more, also not after a reconnect. What is published stays. */
  close(): void
}

const CONTENT: NamesOf<PublishContent> = {
  skills: true,
  prompts: true,
  lease: true,
  unregisterOnShutdown: true,
  log: true,
  timings: true,
}

const TIMINGS: PublishTimings = { firstDelayMs: 5_000, maxDelayMs: 60_000, settleAfterMs: 180_000, timeoutMs: 5_000 }
const UNREGISTER_WITHIN_MS = 400

/**
 * Registers skills and prompts with the `skills` worker, as well as it can: that worker may be absent or come later, so
 * each registration is tried again with a growing pause, and everything is said anew after each reconnect. What the registry
 * refuses is not tried again.
 *
 * @throws Fault `invalid_input` for a mistyped field of `content`, for skills or prompts that are no list or have one twice, and for timings
 * that are no times
 */
export function publish(worker: Worker, content: PublishContent): Publication {
  requireWorker('publish', worker, '(worker, { skills, prompts })')
  refuseMistyped('publish', content, CONTENT)
  requireBooleans('publish', content, ['lease', 'unregisterOnShutdown'])
  requireLists(content)
  requireTimings(content.timings ?? {})
  const log = content.log ?? worker.log
  const timings = { ...TIMINGS, ...content.timings }
  const items = toItems(content)
  requireDifferent(items)
  const published = new Map<string, Item>()
  const refused = new Map<string, string>()
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
    refused.clear()
    const result = await publishAll(worker, items, {
      ...{ ...timings, log, signal },
      onPublished: (item) => void published.set(item.label, item),
      onRefused: (item, why) => void refused.set(item.label, why),
      onLate: settle,
    })
    if (!signal.aborted) settle(result)
  }

  function giveUp(reason: string): void {
    round.abort()
    const missing = items.filter(({ label }) => !published.has(label))
    const failed = missing.map((item) => ({ item, reason: refused.get(item.label) ?? reason }))
    settle({ published: [...published.keys()], failed: toFailures(failed) })
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
    if (state === 'closed') giveUp('the worker was shut down')
  })
  if (content.unregisterOnShutdown === true) worker.onShutdown(takeBack)
  if (worker.state === 'connected') void start()
  return {
    settled,
    close() {
      stopListening()
      giveUp('the publication was closed')
    },
  }
}

function requireLists({ skills = [], prompts = [] }: PublishContent): void {
  for (const [field, items] of Object.entries({ skills, prompts })) {
    if (Array.isArray(items) && items.every(isRecord)) continue
    throw new Fault('invalid_input', `publish takes ${field} as a list of objects, such as ${EXAMPLES[field]}`)
  }
}

/** The registry would keep the last of them. */
function requireDifferent(items: readonly Item[]): void {
  const labels = new Set<string>()
  for (const { label } of items) {
    if (labels.has(label)) throw new Fault('invalid_input', `publish was given the ${label} twice`)
    labels.add(label)
  }
}

function requireTimings(given: Partial<PublishTimings>): void {
  const what = 'publish({ timings })'
  refuseMistyped(what, given, TIMINGS)
  requireTimerMs(what, given, ['firstDelayMs', 'maxDelayMs', 'timeoutMs'])
  requireMs(what, given, ['settleAfterMs'])
}

const EXAMPLES: Readonly<Record<string, string>> = {
  skills: "[{ id: 'orders', skill: '# Orders' }]",
  prompts: "[{ name: 'refund', description: 'Refund an order', function_id: 'orders::refund' }]",
}

interface RoundOptions extends PublishTimings {
  log: Logger
  signal: AbortSignal
  onPublished(item: Item): void
  onRefused(item: Item, reason: string): void
  /** Told once, what is still missing after a while. */
  onLate(result: PublicationResult): void
}

/** Tries until nothing is missing or the signal fires. */
async function publishAll(worker: Worker, items: readonly Item[], options: RoundOptions): Promise<PublicationResult> {
  const { log, signal, firstDelayMs, maxDelayMs, settleAfterMs } = options
  const attempt = createAttempt(worker, options)
  let lateAt = performance.now() + settleAfterMs
  let missing = await attempt.run(
    items.map((item) => ({ item, reason: '' })),
    { isFirst: true },
  )
  for (let delayMs = firstDelayMs; missing.length > 0; delayMs = Math.min(delayMs * 2, maxDelayMs)) {
    if (signal.aborted) break
    if (performance.now() + delayMs > lateAt) {
      lateAt = Number.POSITIVE_INFINITY
      const late = toFailures(missing)
      log.warn({ items: late.map(({ item }) => item) }, 'still not published; trying again')
      options.onLate({ published: [...attempt.published], failed: [...attempt.refused, ...late] })
    }
    await pause(delayMs, signal)
    missing = await attempt.run(missing, { isFirst: false })
  }
  if (!signal.aborted && attempt.published.length > 0) log.info({ items: attempt.published }, 'published')
  return { published: attempt.published, failed: [...attempt.refused, ...toFailures(missing)] }
}

function toItems({ skills = [], prompts = [], lease = false }: PublishContent): Item[] {
  const leased = lease ? { lease } : {}
  return [
    ...skills.map((skill) => toSkillItem({ ...skill, ...leased })),
    ...prompts.map((prompt) => ({
      label: `prompt ${prompt.name}`,
      register: { function_id: promptsFunctions.register.id, payload: { ...prompt, ...leased } },
      unregister: { function_id: promptsFunctions.unregister.id, payload: { name: prompt.name } },
    })),
  ]
}

function toSkillItem(input: RegisterSkillInput): Item {
  const { ahead, skill } = toSkillRegistration(input)
  return {
    label: `skill ${skill.id}`,
    ahead: ahead.map((payload) => ({ function_id: REGISTRATION.ahead.id, payload })),
    register: { function_id: REGISTRATION.skill.id, payload: skill },
    unregister: { function_id: skillsFunctions.unregister.id, payload: { id: skill.id } },
  }
}

function toFailures(missing: readonly Missing[]): PublicationResult['failed'] {
  return missing.map(({ item: { label: item }, reason }) => ({ item, reason }))
}
