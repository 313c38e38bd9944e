import { Panic } from '../bus/panic.ts'

/** How long a connection that is to be replaced may go on with the frame it is at, in milliseconds. */
const YIELD_MS = 5000

/** Where the frames of one connection come in: each is handled to its end before the next one is looked at. */
export interface FrameQueue<T> {
  take(item: T): void
  /** Whether it stopped for good. */
  readonly dead: boolean
  /** Reads no more until resumed as often as paused. */
  pause(): void
  resume(): void
  /** Runs `leave` when everything that came was handled; never, once the queue is dead. */
  end(leave: () => void): void
  /**
   * Runs `leave` soon: at once, unless a frame is being handled or the queue is dead.
   *
   * @throws what `leave` throws.
   */
  yield(leave: () => Promise<void> | undefined): Promise<void> | undefined
}

/** Whatever the items are read from. */
interface Source {
  pause(): void
  resume(): void
}

/**
 * @param handle - a promise holds back everything that follows. A {@link Panic} kills the queue: its connection stays
 *   open, and nothing more is read of it.
 */
export function createFrameQueue<T>(source: Source, handle: (item: T) => Promise<void> | undefined): FrameQueue<T> {
  const waiting: T[] = []
  const watchers = new Set<() => void>()
  let holds = 0
  let state: 'idle' | 'busy' | 'dead' = 'idle'
  let ending: (() => void) | undefined

  function hold(): void {
    holds++
    if (holds === 1) source.pause()
  }

  function release(): void {
    holds--
    if (holds > 0) return
    source.resume()
    while (holds === 0 && waiting.length > 0) run(waiting.shift() as T)
    if (holds === 0) ending?.()
  }

  function run(item: T): void {
    try {
      const work = handle(item)
      if (!work) return
      state = 'busy'
      hold()
      work.then(finish, die)
    } catch (error) {
      die(error)
    }
  }

  function finish(): void {
    state = 'idle'
    for (const watcher of watchers) watcher()
    release()
  }

  function die(error: unknown): void {
    if (!(error instanceof Panic)) throw error
    state = 'dead'
    waiting.length = 0
    hold()
  }

  return {
    take(item) {
      if (state === 'dead') return
      if (holds > 0) waiting.push(item)
      else run(item)
    },
    get dead() {
      return state === 'dead'
    },
    pause: hold,
    resume: release,
    end(leave) {
      if (state === 'idle') leave()
      else ending = leave
    },
    yield(leave) {
      if (state === 'idle') {
        try {
          return leave()
        } catch (error) {
          die(error)
        }
      }
      return waitFor(watchers, YIELD_MS).then(leave)
    },
  }
}

function waitFor(watchers: Set<() => void>, atMostMs: number): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      watchers.delete(done)
      resolve()
    }
    const timer = setTimeout(done, atMostMs)
    watchers.add(done)
  })
}
