import { InvocationError, type Logger, type Worker } from '@iii/sdk'
import { parseApiPath } from '../mcp/api-path.ts'
import type { BridgeOptions } from '../options.ts'
import { askBridges, type Bridge, formatPlace } from './asking.ts'
import { type Clearance, createClearance } from './clearance.ts'
import { formatOpenness, isMoreOpen, toOpenness } from './openness.ts'
import { findDifferences, toCompared } from './told-settings.ts'

/**
 * Looks at the other bridges that clients could meet at the same path. What one of them asks a token for is served to nobody without one by
 * a process whose settings say nothing of who may ask: it answers nothing, and leaves to the others what they want.
 */
export interface NeighbourWatch {
  /** What is known by now. */
  readonly clearance: Clearance
  /** Looks as if nothing had been seen yet: the connection is new, or the path. Until it has, callers wait. */
  arrive(): Promise<void>
  /** The connection is lost: what comes of the next one waits. */
  leave(): void
  /** Looks again. Resolves when this process has acted on what it saw, or could not see anything. */
  look(): Promise<void>
  /** Looks a moment later: what changes comes in crowds. */
  onEngineChange(): void
  close(): void
}

export interface NeighbourWatchOptions {
  readonly worker: Pick<Worker, 'trigger' | 'namespace' | 'instance' | 'claim' | 'defer' | 'state'>
  readonly options: () => BridgeOptions
  /** Whether the configuration file locks everything. */
  readonly isLocked: () => boolean
  /** For each question. */
  readonly timeoutMs: number
  /** After a change, and until the next try where nothing could be seen. @default 500 */
  readonly laterMs?: number
  readonly log: Logger
}

const MEND = 'start all with the same file, or write auth: { mode: off } where everybody may ask'
const SHUT = `it says nothing of who may ask, and another bridge of this engine asks callers for a token at this path; ${MEND}`
const UNTOLD =
  'the engine does not tell which other bridges it has, and the configuration says nothing of who may ask: nobody is answered over HTTP until it does'

export function createNeighbourWatch(options: NeighbourWatchOptions): NeighbourWatch {
  const { worker, options: settings, isLocked, timeoutMs, laterMs = 500, log } = options
  // A look is a question to the engine, and then one to each bridge.
  const clearance = createClearance(2 * timeoutMs, () => {
    if (settings().auth === undefined) log.warn(UNTOLD)
  })
  const remark = createRemarks(log)
  /** Those that ask for a token at this path, by instance. One that is gone counts on: who comes after it must not be less than it was. */
  let asking: ReadonlyMap<string, Bridge> = new Map()
  let path: string | undefined
  let isShut = false
  let isOver = false
  let later: NodeJS.Timeout | undefined

  function note(bridges: readonly Bridge[]): void {
    const here = parseApiPath(settings().apiPath)?.path
    const rivals = bridges.filter((bridge) => bridge.path === here && bridge.instance !== worker.instance)
    for (const rival of rivals) remark(rival, settings())
    const now = rivals.filter(asksForTokens)
    const alive = new Set(rivals.map(({ instance }) => instance))
    const gone = path === here ? [...asking.values()].filter(({ instance }) => !alive.has(instance)) : []
    asking = new Map((now.length > 0 ? now : gone).map((bridge) => [bridge.instance, bridge]))
    path = here
    clearance.tell(asking.size > 0 ? SHUT : undefined)
  }

  function act(): void {
    const [guard] = asking.values()
    const wasShut = isShut
    isShut = guard !== undefined && settings().auth === undefined
    if (!isShut) {
      if (wasShut) log.info('callers over HTTP are answered again')
      if (!isLocked()) worker.claim()
      return
    }
    if (!wasShut && guard !== undefined) {
      const text = `nobody is answered over HTTP, and what others serve is left to them: the configuration says nothing of who may ask, and ${formatPlace(guard)} asks callers for a token`
      log.error(`${text}; ${MEND}`)
    }
    worker.defer()
  }

  async function lookOnce(): Promise<void> {
    const ask = (function_id: string, payload: object) => worker.trigger({ function_id, payload, timeoutMs })
    const asked = clearance.forgotten
    const seen = await askBridges(ask, worker.namespace).catch(toTrouble)
    // A connection that was lost meanwhile has told nothing, and of another path nothing that counts: whoever arrives looks again.
    if (isOver || asked !== clearance.forgotten) return
    if (seen === 'later') return lookLater()
    note(seen === 'never' ? [] : seen.all)
    act()
  }

  function lookLater(): void {
    later ??= setTimeout(() => {
      later = undefined
      void look()
    }, laterMs).unref()
  }

  const lookFresh = createFreshLook(lookOnce, () => isOver)

  function look(): Promise<void> {
    return worker.state === 'connected' ? lookFresh() : Promise.resolve()
  }

  return {
    clearance: clearance.now,
    look,
    arrive() {
      clearance.forget()
      if (worker.state === 'connected') clearance.begin()
      return look()
    },
    leave: clearance.forget,
    onEngineChange() {
      if (!isOver) lookLater()
    },
    close() {
      isOver = true
      clearTimeout(later)
      clearance.close()
    },
  }
}

/** Whoever asks while a look is under way is served by one that begins after it. */
function createFreshLook(lookOnce: () => Promise<void>, isOver: () => boolean): () => Promise<void> {
  let looking: Promise<void> | undefined
  let isStale = false

  async function lookUntilFresh(): Promise<void> {
    do {
      isStale = false
      await lookOnce()
    } while (isStale && !isOver())
  }

  return () => {
    if (isOver()) return Promise.resolve()
    isStale = true
    looking ??= lookUntilFresh().finally(() => {
      looking = undefined
    })
    return looking
  }
}

function asksForTokens({ settings, locked }: Bridge): boolean {
  return settings.auth?.mode === 'required' && locked === undefined
}

/** An engine that lets this worker ask nothing tells it of nobody; any other may answer the next time. */
function toTrouble(error: unknown): 'never' | 'later' {
  return error instanceof InvocationError && error.code === 'FORBIDDEN' ? 'never' : 'later'
}

/** Says once of each bridge how it is different. */
function createRemarks(log: Logger): (rival: Bridge, own: BridgeOptions) => void {
  const told = new Map<string, string>()
  return (rival, own) => {
    const text = rival.locked === undefined ? compare(rival, own) : undefined
    const before = told.get(rival.instance)
    told.set(rival.instance, text ?? '')
    if (text !== undefined && text !== before) log.warn(text)
  }
}

function compare(rival: Bridge, own: BridgeOptions): string | undefined {
  const [theirs, ours] = [toOpenness(rival.settings), toOpenness(own)]
  if (isMoreOpen(theirs, ours) || isMoreOpen(ours, theirs)) {
    return `${formatPlace(rival)} ${formatOpenness(theirs)}, and this process ${formatOpenness(ours)}: who is let in depends on which of them serves`
  }
  const differs = findDifferences(rival, toCompared(own))
  if (differs.length === 0) return undefined
  return `${formatPlace(rival)} works with other settings than this process (${differs.join(', ')}): what clients see depends on which of them serves`
}
