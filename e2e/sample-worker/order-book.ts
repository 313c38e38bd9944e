import { setImmediate as nextTurn } from 'node:timers/promises'
import { Fault } from '@iii/protocol'
import { createStateScope, type Worker } from '@iii/sdk'
import { isSameRequest, type NewOrder, Order, toCancelled, toOrder } from './order.ts'
import { matchesFilter, type OrderFilter, requireKnownCustomer } from './order-filter.ts'
import { createOrderId, toOrderId } from './order-id.ts'
import { addOrder, createTally, type Figures, toFigures } from './report.ts'

/** Orders counted at a stretch before other calls get their turn. */
const REPORT_STEP = 500

/** Who follows a report while it is made. */
export interface ReportWatch {
  signal?: AbortSignal
  onStep?: (done: number, total: number) => void
}

/** All orders, kept in the engine's state: one row an order, key = order id. */
export type OrderBook = ReturnType<typeof createOrderBook>

export function createOrderBook(worker: Worker, now: () => Date = () => new Date()) {
  const rows = createStateScope<Order>(worker, 'orders', { schema: Order })

  return {
    async create(input: NewOrder): Promise<Order> {
      if (input.reference === undefined) return await save(toOrder(input, createOrderId(), now()))
      const id = toOrderId(input.customer, input.reference)
      return await rows.inTurn(id, async () => {
        const existing = await rows.get(id)
        if (existing === undefined) return await save(toOrder(input, id, now()))
        if (isSameRequest(existing, input)) return existing
        throw new Fault('conflict', `Reference "${input.reference}" belongs to order ${id}, which is a different order`)
      })
    },

    find: (id: string): Promise<Order | undefined> => rows.get(id),
    get,

    list,

    /** Cancels an order. One that is cancelled already stays as it is, with its first reason. */
    cancel(id: string, reason: string | undefined): Promise<{ order: Order; changed: boolean }> {
      return rows.inTurn(id, async () => {
        const order = await get(id)
        if (order.status === 'cancelled') return { order, changed: false }
        return { order: await save(toCancelled(order, reason, now())), changed: true }
      })
    },

    async count(filter: OrderFilter): Promise<number> {
      return (await list(filter)).length
    },

    /** Adds up the matching orders, a step at a time. @throws when `signal` says that nobody waits any more. */
    async report(filter: OrderFilter, { signal, onStep }: ReportWatch = {}): Promise<Figures> {
      const tally = createTally()
      const matching = await list(filter)
      for (let start = 0; start < matching.length; start += REPORT_STEP) {
        signal?.throwIfAborted()
        for (const order of matching.slice(start, start + REPORT_STEP)) addOrder(tally, order)
        onStep?.(tally.all.orders, matching.length)
        await nextTurn()
      }
      return toFigures(tally)
    },
  }

  /** The matching orders, in no order. @throws Fault for a customer that no order names */
  async function list(filter: OrderFilter): Promise<Order[]> {
    const orders = await rows.list()
    requireKnownCustomer(orders, filter)
    return orders.filter((order) => matchesFilter(order, filter))
  }

  async function get(id: string): Promise<Order> {
    const order = await rows.get(id)
    if (order === undefined) throw new Fault('not_found', `No order ${id}; orders__list shows those that there are`)
    return order
  }

  async function save(order: Order): Promise<Order> {
    await rows.set(order.id, order)
    return order
  }
}
