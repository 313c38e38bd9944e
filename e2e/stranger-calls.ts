import type { Worker } from '@iii/sdk'
import type { Stack } from './stack.ts'
import { until } from './until.ts'

/** A worker that is not ours: what it offers is the same in every language, under a first segment of its own. */
export interface StrangerWorker {
  readonly prefix: string
  readonly stack: Stack
}

/** What came of a call that the stranger made. */
export interface Relayed {
  result?: unknown
  error?: { code: string; message: string }
}

/** What the stranger was called with by a trigger. */
export interface Heard {
  via: string
  data: unknown
  metadata: unknown
}

/** A look at what happened that is not answered by then is repeated. */
const ANSWER_MS = 5000

/** Calls a function of the stranger. */
export function call<T>({ prefix, stack }: StrangerWorker, id: string, payload: unknown = {}): Promise<T> {
  return stack.worker.trigger<T>({ function_id: `${prefix}::${id}`, payload, timeoutMs: ANSWER_MS })
}

/** Lets the stranger make a call. */
export function relay(
  stranger: StrangerWorker,
  request: { function_id: string; [option: string]: unknown },
): Promise<Relayed> {
  return call(stranger, 'relay', request)
}

/** Waits until the stranger was called by a trigger with what `matches`. */
export async function hear(
  stranger: StrangerWorker,
  via: string,
  matches: (data: unknown) => boolean,
): Promise<Heard[]> {
  const look = async () => {
    const { events } = await call<{ events: Heard[] }>(stranger, 'events')
    const heard = events.filter((event) => event.via === via && matches(event.data))
    return heard.length > 0 && heard
  }
  return await until(look, { what: `${stranger.prefix} to be called by ${via}` })
}

/** Offers a function of the test until the block ends, and keeps what it was called with. */
export async function offerRecorded(worker: Worker, id: string, answer: () => unknown = () => null) {
  const calls: { payload: unknown; metadata: unknown }[] = []
  const registration = worker.registerFunction(id, (payload: unknown, metadata: unknown) => {
    calls.push({ payload, metadata })
    return answer()
  })
  await worker.ready({ timeoutMs: 5000 })
  return { calls, [Symbol.dispose]: () => registration.unregister() }
}
