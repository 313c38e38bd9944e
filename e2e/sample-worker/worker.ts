import { readFileSync } from 'node:fs'
import { type McpFacts, type Publication, publish, type Worker } from '@iii/sdk'
import { z } from 'zod'
import { NewOrder, Order, OrderId, OrderRow, parseOrderId, Receipt, toReceipt, toRow } from './order.ts'
import { createOrderBook, type OrderBook } from './order-book.ts'
import { serveCompletion } from './order-completion.ts'
import { OrderPage, PageRequest, toOrderPage } from './order-page.ts'
import { formatRefundPrompt, RefundArguments, RefundPrompt } from './refund-prompt.ts'
import { serveReport } from './report-job.ts'
import { formatStatusPage } from './status-page.ts'
import { serveSummary } from './summary-job.ts'

// With its path written out each is packed with the worker.
const orders = readFileSync(new URL('./skills/orders.md', import.meta.url), 'utf8')
const refunds = readFileSync(new URL('./skills/refunds.md', import.meta.url), 'utf8')

/** Everything that this worker puts on the engine: its functions, its skills, its prompt. */
export function serveOrders(worker: Worker): Publication {
  const book = createOrderBook(worker)
  serveWriting(worker, book)
  serveReading(worker, book)
  serveTexts(worker, book)
  return publish(worker, {
    skills: [
      { id: 'orders', skill: orders },
      { id: 'orders/refunds', skill: refunds },
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

const Cancellation = z.object({
  order_id: OrderId,
  reason: z.string().trim().min(1).max(500).optional(),
})
type Cancellation = z.infer<typeof Cancellation>

function serveWriting(worker: Worker, book: OrderBook): void {
  worker.registerFunction('orders::create', async (order) => toReceipt(await book.create(order)), {
    description: 'Takes a new order and returns its id and total.',
    request_format: NewOrder,
    response_format: Receipt,
    mcp: tool('Create an order', { readOnlyHint: false, destructiveHint: false }),
  })

  const cancel = async ({ order_id, reason }: Cancellation) => {
    const { order, changed } = await book.cancel(order_id, reason)
    const { cancel_reason } = order
    return { changed, ...toRow(order), ...(cancel_reason === undefined ? {} : { cancel_reason }) }
  }
  worker.registerFunction('orders::cancel', cancel, {
    description:
      'Cancels an order for good and with that refunds its total: there is no other payment or refund. One that is cancelled has been refunded and stays as it is (changed: false). Ask the user first.',
    request_format: Cancellation,
    response_format: OrderRow.extend({ cancel_reason: z.string().optional(), changed: z.boolean() }),
    mcp: tool('Cancel an order', { readOnlyHint: false, destructiveHint: true, idempotentHint: true }),
  })
}

function serveReading(worker: Worker, book: OrderBook): void {
  worker.registerFunction('orders::get', ({ order_id }) => book.get(order_id), {
    description: 'Shows one order with its lines. Money is in minor units (cents), moments are UTC.',
    request_format: z.object({ order_id: OrderId }),
    response_format: Order,
    mcp: tool('Look up an order', { readOnlyHint: true }),
  })

  worker.registerFunction('orders::list', async (request) => toOrderPage(await book.list(request), request), {
    description: 'Lists orders, newest first, without their lines.',
    request_format: PageRequest,
    response_format: OrderPage,
    mcp: tool('List orders', { readOnlyHint: true }),
  })

  serveReport(worker, book, tool('Report on orders', { readOnlyHint: true }))
  serveSummary(worker, book, tool(undefined, { readOnlyHint: true }))
}

function serveTexts(worker: Worker, book: OrderBook): void {
  worker.registerFunction('orders::status', async () => formatStatusPage(await book.report({}), new Date()), {
    description: 'What time it is (UTC) and how many orders there are, as a page: iii://fn/orders/status.',
    request_format: z.object({}),
    mcp: tool('Order status page', { readOnlyHint: true }),
  })

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
      mcp: { expose: false, complete: 'orders::complete' },
    },
  )
  serveCompletion(worker, book)
}

function tool(title: string | undefined, annotations: McpFacts['annotations']): McpFacts {
  return { expose: true, ...(title && { title }), annotations: { ...annotations, openWorldHint: false } }
}
