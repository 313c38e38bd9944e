/** What authors write beside the code of the pages, as files that compile against the packed packages. */
export const AUTHOR_TYPES = {
  // What `serve` may be.
  'served.ts': `import { publish, runWorker, type Worker } from '@iii/sdk'
import { serveTea } from './testing-your-worker/tea.ts'

const app = { name: 'tea', version: '0.1.0', description: 'Makes tea', argv: [], env: {}, options: {} }
const publishTea = (worker: Worker) => publish(worker, { skills: [{ id: 'tea', skill: '# Tea' }] })
await runWorker({ ...app, serve: serveTea })
await runWorker({ ...app, serve: publishTea })
await runWorker({ ...app, serve: async (worker) => publishTea(worker) })
await runWorker({ ...app, serve: async (worker) => serveTea(worker) })
`,
  // What comes over from `iii-sdk` with another import: two types for a call, and the types by the names that the README has.
  'moved.ts': `import type {
  Binding, ChannelRef, FunctionOptions, FunctionRegistration, Handler, HttpRequest, HttpResponse, Registration,
  RegisterWorkerOptions, TriggerInput, TriggerTypeHandler, Worker,
} from '@iii/sdk'
import { registerWorker } from '@iii/sdk'

interface Shop { shop: string }
interface Count { count: number }
const options: RegisterWorkerOptions = { name: 'moved', callTimeoutMs: 5_000 }
const worker: Worker = registerWorker('ws://127.0.0.1:49134', options)
const payload: Shop = { shop: 'tea' }
const request = { function_id: 'orders::count', payload }
export const both: Count = await worker.trigger<Shop, Count>(request)
export const result: Count = await worker.trigger<Count>(request)
export const some: unknown = await worker.trigger(request)
// @ts-expect-error the second type is that of the result
export const wrong: Shop = await worker.trigger<Shop, Count>(request)
const untyped = await worker.trigger(request)
// @ts-expect-error without types the result is unknown
export const count: number = untyped.count
export type Moved = [
  Binding, ChannelRef, FunctionOptions, FunctionRegistration, Handler, HttpRequest, HttpResponse, Registration, TriggerInput,
  TriggerTypeHandler,
]
`,
}
