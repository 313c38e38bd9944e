import { readFileSync } from 'node:fs'
import { type Publication, publish, type Worker } from '@iii/sdk'
import { z } from 'zod'
import { NewOrder, Order, OrderFilter, OrderId, parseOrderId } from './order.ts'
import { createOrderBook, type OrderBook } from './order-book.ts'
import { formatRefundPrompt, RefundArguments, RefundPrompt } from './refund-prompt.ts'
import { serveReport } from './report-job.ts'
import { formatStatusPage } from './status-page.ts'
import { serveSummary } from './summary-job.ts'

/** Everything that this worker puts on the engine: its functions, its skills, its prompt. */
export function serveOrders(worker: Worker): Publication {
  const book = createOrderBook(worker)
  serveWriting(worker, book)
  serveReading(worker, book)
  serveTexts(worker, book)
  return publish(worker, {
    skills: [
      { id: 'orders', skill: readSkill('orders') },
      { id: 'orders/refunds', skill: readSkill('refunds') },
    ],
    prompts: [
      {
        name: 'refund-order',
        description: 'Refund an order, step by step',
        function_id: 'orders::refund_prompt',
        arguments: [
          { name: 'order_id', description: 'The order to refund, for example ORD-7K2M9QX4TD', required: true },
          { name: 'reason', description: 'Why the customer wants the money back', required: false },
        ],
      },
    ],
  })
}

function serveWriting(worker: Worker, book: OrderBook): void {
  worker.registerFunction('orders::create', (order) => book.create(order), {
    description: 'Takes a new order and returns it with its id and total.',
    request_format: NewOrder,
    response_format: Order,
    metadata: tool('Create an order', { readOnlyHint: false, destructiveHint: false, idempotentHint: false }),
  })

  worker.registerFunction('orders::cancel', ({ order_id, reason }) => book.cancel(order_id, reason), {
    description: 'Cancels an order for good. An order that is cancelled already stays as it is (changed: false).',
    request_format: z.object({
      order_id: OrderId,
      reason: z.string().trim().min(1).max(500).optional().describe('Why, in the words of the customer'),
    }),
    response_format: z.object({ order: Order, changed: z.boolean() }),
    metadata: tool('Cancel an order', { readOnlyHint: false, destructiveHint: true, idempotentHint: true }),
  })
}

function serveReading(worker: Worker, book: OrderBook): void {
  worker.registerFunction('orders::get', ({ order_id }) => book.get(order_id), {
    description: 'Shows one order.',
    request_format: z.object({ order_id: OrderId }),
    response_format: Order,
    metadata: tool('Look up an order', { readOnlyHint: true }),
  })

  worker.registerFunction(
    'orders::list',
    async ({ limit, ...filter }) => {
      const orders = await book.list(filter)
      return { orders: orders.slice(0, limit), total: orders.length }
    },
    {
      description: 'Lists orders, newest first.',
      request_format: OrderFilter.extend({ limit: z.int().min(1).max(100).default(20).describe('How many at most') }),
      response_format: z.object({ orders: z.array(Order), total: z.int().describe('How many match in all') }),
      metadata: tool('List orders', { readOnlyHint: true }),
    },
  )

  serveReport(worker, book, tool('Report on all orders', { readOnlyHint: true }))
  serveSummary(worker, book, (title) => tool(title, { readOnlyHint: true }))
}

function serveTexts(worker: Worker, book: OrderBook): void {
  worker.registerFunction(
    'orders::status',
    async () => {
      return { content: formatStatusPage(await book.report({}), new Date()) }
    },
    {
      description: 'How many orders there are at this moment, as a page. Skills link to it as iii://fn/orders/status.',
      request_format: z.object({}),
      response_format: z.object({ content: z.string() }),
      metadata: tool('Order status page', { readOnlyHint: true }),
    },
  )

  // A prompt's handler need not be a tool as well, so it stays out of the tool list.
  worker.registerFunction(
    'orders::refund_prompt',
    async (input) => {
      const id = parseOrderId(input.order_id)
      return { content: formatRefundPrompt(input, id === undefined ? undefined : await book.find(id)) }
    },
    {
      description: 'Renders the prompt refund-order.',
      request_format: RefundArguments,
      response_format: RefundPrompt,
      metadata: { 'mcp.expose': false },
    },
  )
}

function tool(title: string, annotations: Record<string, boolean>): Record<string, unknown> {
  return { 'mcp.expose': true, 'mcp.title': title, 'mcp.annotations': { ...annotations, openWorldHint: false } }
}

function readSkill(name: string): string {
  return readFileSync(new URL(`./skills/${name}.md`, import.meta.url), 'utf8')
}
