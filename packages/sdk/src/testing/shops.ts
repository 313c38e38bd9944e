import type { Ownership, OwnershipTimings } from '../ownership/ownership.ts'
import type { FunctionRegistration } from '../worker/function.ts'
import type { RegisterWorkerOptions, Worker } from '../worker/worker.ts'
import { type StageEngine, startMockStage } from './mock-stage.ts'
import { createRecordedLog, type RecordedLog } from './recorded-log.ts'

export const QUICK_LOOKS: Partial<OwnershipTimings> = {
  lookEveryMs: 50,
  fullLookEveryMs: 500,
  afterArrivalMs: 20,
  betweenLooksMs: 20,
  claimMs: 20,
}

const FUNCTIONS = ['shop::buy', 'shop::sell', 'shop::who']

/** One of several workers that offer the same. */
export interface Shop {
  who: string
  worker: Worker
  log: RecordedLog
  /** What it registered, by its id. */
  offers: ReadonlyMap<string, FunctionRegistration>
  /** The bindings of its trigger type, as it knows them. */
  bound: ReadonlySet<string>
  /** The states of its ownership, as it was told. */
  states: readonly string[]
}

interface ShopEngine extends StageEngine {
  httpUrl: string
  onFrame(listener: (frame: { text: string }) => void): () => void
}

/** An engine on which a test opens shops: workers that all offer the same functions, route and trigger type. */
export async function stageShops<E extends ShopEngine>(startEngine: () => Promise<E>) {
  const stage = await startMockStage(startEngine)
  const caller = await stage.connect({ name: 'caller' })
  return {
    ...stage,
    caller,
    async open(who: string, options: RegisterWorkerOptions = {}): Promise<Shop> {
      const log = createRecordedLog()
      const watchOwnership = QUICK_LOOKS
      const worker = await stage.connect({ name: 'shop', version: '1.2.3', log, watchOwnership, ...options })
      const states: string[] = []
      worker.onOwnershipChange(({ state }) => void states.push(state))
      return { who, worker, log, ...offerEverything(worker, who), states }
    },
    /** Who answers each of the functions. */
    async servers(): Promise<unknown[]> {
      const ask = (function_id: string) => caller.trigger<{ who: string }>({ function_id })
      return Promise.all(
        FUNCTIONS.map((id) =>
          ask(id).then(
            ({ who }) => who,
            ({ code }) => code,
          ),
        ),
      )
    },
    /** Who answers the route, or the status when nobody does. */
    async route(): Promise<unknown> {
      const response = await fetch(`${stage.engine.httpUrl}/who`)
      return response.status === 200 ? ((await response.json()) as { who: string }).who : response.status
    },
  }
}

function offerEverything(worker: Worker, who: string): Pick<Shop, 'bound' | 'offers'> {
  const bound = new Set<string>()
  const offer = (id: string) => worker.registerFunction(id, () => ({ who, body: { who } }))
  const offers = new Map(FUNCTIONS.map((id) => [id, offer(id)]))
  worker.registerTrigger({ type: 'http', function_id: 'shop::who', config: { api_path: '/who', http_method: 'GET' } })
  worker.registerTriggerType(
    { id: 'shop::on-change', description: 'Sales' },
    {
      registerTrigger: ({ id }) => void bound.add(id),
      unregisterTrigger: ({ id }) => void bound.delete(id),
    },
  )
  return { bound, offers }
}

export const standsBy = (shop: Shop): Promise<void> => reaches(shop, 'standby')
export const serves = (shop: Shop): Promise<void> => reaches(shop, 'serving')

function reaches({ worker }: Shop, wanted: Ownership['state']): Promise<void> {
  return new Promise((resolve) => {
    if (worker.ownership.state === wanted) return resolve()
    const stop = worker.onOwnershipChange(({ state }) => {
      if (state !== wanted) return
      stop()
      resolve()
    })
  })
}

/** Resolves when the watches have looked several times more. */
export function manyLooks({ engine }: { engine: ShopEngine }): Promise<void> {
  let count = 0
  return new Promise((resolve) => {
    const stop = engine.onFrame(({ text }) => {
      if (!text.includes('invokefunction') || !text.includes('"engine::functions::info"')) return
      if (++count < 6) return
      stop()
      resolve()
    })
  })
}
