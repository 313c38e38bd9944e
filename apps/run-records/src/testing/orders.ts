import { registerMcpFunction, textBlock, type Worker } from '@iii/sdk'
import { z } from 'zod'

/** A job of four tasks, with something for every test of a run in them. */
export const ORDERS_JOBS = {
  'orders-summary': {
    description: 'Sums the orders of a day up',
    targets: ['orders::summary'],
    inputs: { 'orders::collect': { limit: 5 } },
    input: { type: 'object', properties: { day: { type: 'string' } }, additionalProperties: false },
  },
  failing: { targets: ['orders::broken'] },
  slow: { targets: ['orders::slow'] },
} as const

/** What the tasks are called with, and what stops the slow one. */
export interface OrdersLog {
  readonly calls: { id: string; payload: unknown }[]
  /** Resolves when the slow task has begun. */
  readonly slow: Promise<void>
  /** Lets it end. */
  finishSlow(): void
}

export function serveOrderJobs(worker: Worker): OrdersLog {
  const calls: OrdersLog['calls'] = []
  const begun = createGate()
  const end = createGate()
  const register = (id: string, metadata: Record<string, unknown>, handle: () => unknown) =>
    worker.registerFunction(
      id,
      (payload) => {
        calls.push({ id, payload })
        return handle()
      },
      { metadata },
    )
  const cache = { ttl_ms: 60_000 }
  register('orders::collect', { 'runs.cache': cache }, () => ({ orders: [1, 2, 3] }))
  register('orders::chart', { 'runs.depends_on': ['orders::collect'] }, () => ({ bars: 3 }))
  register('orders::summary', { runs: { depends_on: ['orders::chart', 'orders::collect'], cache } }, () => ({ sum: 6 }))
  register('orders::broken', {}, () => ({ isError: true, content: [textBlock('the shop is closed')] }))
  register('orders::slow', {}, async () => {
    begun.open()
    await end.opened
    return { late: true }
  })
  registerMcpFunction(worker, 'orders::report', () => ({ orders: 3 }), {
    request_format: z.object({}),
    metadata: { 'runs.job': true },
  })
  return { calls, slow: begun.opened, finishSlow: end.open }
}

function createGate(): { opened: Promise<void>; open(): void } {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open: () => open() }
}
