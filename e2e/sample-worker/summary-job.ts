import type { McpFacts, Worker } from '@iii/sdk'
import { z } from 'zod'
import { formatMoney, Order } from './order.ts'
import type { OrderBook } from './order-book.ts'
import { OrderFilter, toDay } from './order-filter.ts'
import { toSorted } from './order-page.ts'
import { Sums, sumUp } from './report.ts'

/**
 * The job `orders-summary` of `runs.yaml`: four functions that work on each other's results. Each is a tool by itself, too: what it needs
 * and was not given, it works out.
 */

/** How many orders a summary is about. */
const MAX_ORDERS = 500

/** What goes from function to function is checked where it is read: no schema of it is shown to models. */
const Collected = z.object({
  orders: z.array(Order.pick({ id: true, created_at: true, currency: true, total: true, status: true })),
  left_out: z.int(),
})
type Collected = z.infer<typeof Collected>

const Chart = z.object({ chart: z.string() })
const Nothing = z.object({})

/** What a function is given in a run: the results of those that it depends on, by their ids. */
const Needs = z.object({
  'orders::collect': Collected.optional(),
  'orders::summarise': Sums.optional(),
  'orders::chart': Chart.optional(),
})

export function serveSummary(worker: Worker, book: OrderBook, mcp: McpFacts): void {
  const orders = async (metadata: unknown) =>
    readNeeds(metadata)['orders::collect'] ?? (await collect(book, { status: 'open' }))

  worker.registerFunction('orders::collect', (filter) => collect(book, filter), {
    description: 'Collects the newest orders, open and cancelled, for a summary. left_out: how many were too many.',
    request_format: OrderFilter.pick({ status: true }),
    mcp,
  })
  worker.registerFunction('orders::summarise', async (_input, metadata) => sumUp((await orders(metadata)).orders), {
    description: 'Adds up the open orders, in minor units.',
    request_format: Nothing,
    mcp,
    metadata: after('orders::collect'),
  })
  worker.registerFunction('orders::chart', async (_input, metadata) => draw(await orders(metadata)), {
    description: 'Draws how many open orders there are of each day (UTC), as Markdown.',
    request_format: Nothing,
    mcp,
    metadata: after('orders::collect'),
  })
  worker.registerFunction(
    'orders::summary',
    async ({ title }, metadata) => {
      const needs = readNeeds(metadata)
      const collected = await orders(metadata)
      const sums = needs['orders::summarise'] ?? sumUp(collected.orders)
      return formatSummary(title, sums, needs['orders::chart'] ?? draw(collected))
    },
    {
      description: 'Writes a summary of the open orders with a chart, as Markdown.',
      request_format: z.object({ title: z.string().trim().min(1).max(200).default('Orders') }),
      mcp,
      metadata: after('orders::summarise', 'orders::chart'),
    },
  )
}

/** Its result stays good for a day, as long as that of the others is the same; the version changes with the code. */
function after(...ids: string[]): Record<string, unknown> {
  return { 'runs.depends_on': ids, 'runs.cache': { ttl_ms: 86_400_000, version: '1' } }
}

/** Undefined results where the call is no part of a run. */
function readNeeds(metadata: unknown): z.infer<typeof Needs> {
  const sidecar = z.object({ runs: z.object({ needs: Needs }) }).safeParse(metadata)
  return sidecar.success ? sidecar.data.runs.needs : {}
}

function toCollected({ id, created_at, currency, total, status }: Order): Collected['orders'][number] {
  return { id, created_at, currency, total, status }
}

async function collect(book: OrderBook, filter: OrderFilter): Promise<Collected> {
  const orders = toSorted(await book.list(filter), 'created_at')
  return { orders: orders.slice(0, MAX_ORDERS).map(toCollected), left_out: Math.max(0, orders.length - MAX_ORDERS) }
}

const MAX_BAR = 40

function draw({ orders }: Collected): z.infer<typeof Chart> {
  const days = new Map<string, number>()
  for (const { created_at } of orders) days.set(toDay(created_at), (days.get(toDay(created_at)) ?? 0) + 1)
  const most = Math.max(1, ...days.values())
  const bars = [...days]
    .sort()
    .map(([day, count]) => `${day} ${'█'.repeat(Math.ceil((count / most) * MAX_BAR))} ${count}`)
  return { chart: ['```', ...bars, '```'].join('\n') }
}

function formatSummary(title: string, sums: Sums, { chart }: z.infer<typeof Chart>): { content: string } {
  const money = Object.entries(sums.totals).map(([currency, amount]) => formatMoney(amount, currency))
  const worth = money.length === 0 ? '' : `, worth ${money.join(' and ')}`
  return { content: [`# ${title}`, '', `Orders: ${sums.orders}${worth}.`, '', chart].join('\n') }
}
