import { DEFAULT_NAMESPACE } from '@iii/protocol'
import type { Frame } from '../wire/frames.ts'
import { Panic } from './panic.ts'

/** Which namespace a connection registers in: it says so itself, once. */
export interface NamespaceState {
  /** The default one until it is decided. */
  readonly namespace: string
  readonly decided: boolean
  /** Takes a frame that has to wait for the decision. @returns `false` for one that has not. */
  hold(frame: Frame): boolean
  /**
   * Decides, and carries out what waited in the order it came; what comes meanwhile waits behind it. Later decisions change nothing.
   *
   * @returns a promise when that takes time.
   * @throws Panic when the engine panics at a frame; the rest waits for ever.
   */
  decide(namespace: string): Promise<void> | undefined
  /** The connection is going: what waits is thrown away, and whatever still comes. */
  abandon(): void
}

/** For an engine without namespaces: everything is in the default one, at once. */
export const DEFAULT_AT_ONCE: NamespaceState = {
  namespace: DEFAULT_NAMESPACE,
  decided: true,
  hold: () => false,
  decide: () => undefined,
  abandon() {},
}

/** The frames that wait until the namespace of their connection is decided. */
const HELD: ReadonlySet<Frame['type']> = new Set([
  'registerfunction',
  'registerservice',
  'registertrigger',
  'registertriggertype',
  'unregisterfunction',
  'unregistertrigger',
])

/**
 * @param graceMs - how long the connection may take to say its namespace.
 * @param expired - the namespace when it has not; `undefined` when that stays open.
 */
export function createNamespaceState(
  graceMs: number,
  expired: () => string | undefined,
  carryOut: (frame: Frame) => Promise<void> | undefined,
): NamespaceState {
  const waiting: Frame[] = []
  let state: 'open' | 'draining' | 'settled' | 'abandoned' = 'open'
  let namespace = DEFAULT_NAMESPACE
  const timer = setTimeout(() => void expire(), graceMs).unref()

  /** A connection at whose registrations the engine panics stays as it is then. */
  async function expire(): Promise<void> {
    const given = expired()
    try {
      if (given !== undefined) await decide(given)
    } catch (error) {
      if (!(error instanceof Panic)) throw error
    }
  }

  function decide(given: string): Promise<void> | undefined {
    if (state !== 'open') return undefined
    clearTimeout(timer)
    namespace = given
    state = 'draining'
    return drain()
  }

  function drain(): Promise<void> | undefined {
    while (state === 'draining') {
      const frame = waiting.shift()
      if (!frame) state = 'settled'
      else {
        const wait = carryOut(frame)
        if (wait) return wait.then(drain)
      }
    }
    return undefined
  }

  function abandon(): void {
    clearTimeout(timer)
    state = 'abandoned'
    waiting.length = 0
  }

  return {
    get namespace() {
      return namespace
    },
    get decided() {
      return state !== 'open'
    },
    hold(frame) {
      if (state === 'settled' || !HELD.has(frame.type)) return false
      if (state !== 'abandoned') waiting.push(frame)
      return true
    },
    decide,
    abandon,
  }
}
