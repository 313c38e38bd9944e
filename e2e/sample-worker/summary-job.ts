import type { McpFacts, Worker } from '@iii/sdk'
import { z } from 'zod'
import { formatMoney, Order, OrderFilter } from './order.ts'
import type { OrderBook } from './order-book.ts'
import { addOrder, createTally, Report, toReport } from './report.ts'

/**
 * The job `orders-summary` of `runs.yaml`: four functions that work on each other's results. Each is a tool by itself, too: what it needs
 * and was not given, it works out.
 */

/** How many orders a summary is about. */
const MAX_ORDERS = 500

const Collected = z.object({ orders: z.array(Order), left_out: z.int() })
type Collected = z.infer<typeof Collected>

const Chart = z.object({ chart: z.string().describe('A bar for each day, as Markdown') })
const Summary = z.object({ content: z.string().describe('Markdown') })
const Nothing = z.object({})

/** What a function is given in a run: the results of those that it depends on, by their ids. */
const Needs = z.object({
  'orders::collect': Collected.optional(),
  'orders::summarise': Report.optional(),
  'orders::chart': Chart.optional(),
})

export function serveSummary(worker: Worker, book: OrderBook, tool: (title: string) => McpFacts): void {
  const orders = async (metadata: unknown) => readNeeds(metadata)['orders::collect'] ?? (await collect(book, {}))

  worker.registerFunction('orders::collect', (filter) => collect(book, filter), {
    description: 'Collects the newest orders for a summary.',
    request_format: OrderFilter,
    response_format: Collected,
    mcp: tool('Collect orders'),
  })
  worker.registerFunction('orders::summarise', async (_input, metadata) => summarise(await orders(metadata)), {
    description: 'Adds up the orders that orders::collect found.',
    request_format: Nothing,
    response_format: Report,
    mcp: tool('Summarise orders'),
    metadata: after('orders::collect'),
  })
  worker.registerFunction('orders::chart', async (_input, metadata) => draw(await orders(metadata)), {
    description: 'Draws how many orders there were on each day.',
    request_format: Nothing,
    response_format: Chart,
    mcp: tool('Chart of orders'),
    metadata: after('orders::collect'),
  })
  worker.registerFunction(
    'orders::summary',
    async ({ title }, metadata) => {
      const needs = readNeeds(metadata)
      const collected = await orders(metadata)
      const report = needs['orders::summarise'] ?? summarise(collected)
      return formatSummary(title, report, needs['orders::chart'] ?? draw(collected))
    },
    {
      description: 'Writes the summary of all orders, with a chart.',
      request_format: z.object({ title: z.string().trim().min(1).max(200).default('Orders') }),
      response_format: Summary,
      mcp: tool('Summary of orders'),
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

async function collect(book: OrderBook, filter: OrderFilter): Promise<Collected> {
  const orders = await book.list(filter)
  return { orders: orders.slice(0, MAX_ORDERS), left_out: Math.max(0, orders.length - MAX_ORDERS) }
}

function summarise({ orders }: Collected): Report {
  const tally = createTally()
  for (const order of orders) addOrder(tally, order)
  return toReport(tally)
}

const MAX_BAR = 40

function draw({ orders }: Collected): z.infer<typeof Chart> {
  const { by_day: days } = summarise({ orders, left_out: 0 })
  const most = Math.max(1, ...days.map((day) => day.orders))
  const bars = days.map(
    ({ key, orders: count }) => `${key} ${'█'.repeat(Math.ceil((count / most) * MAX_BAR))} ${count}`,
  )
  return { chart: ['```', ...bars, '```'].join('\n') }
}

function formatSummary(title: string, report: Report, { chart }: z.infer<typeof Chart>): z.infer<typeof Summary> {
  const money = Object.entries(report.totals).map(([currency, amount]) => formatMoney(amount, currency))
  const worth = money.length === 0 ? '' : `, worth ${money.join(' and ')}`
  return { content: [`# ${title}`, '', `Orders: ${report.orders}${worth}.`, '', chart].join('\n') }
}
