import { CompletionAnswer, CompletionRequest } from '@iii/protocol'
import type { Worker } from '@iii/sdk'
import type { OrderBook } from './order-book.ts'
import { toSorted } from './order-page.ts'

/** MCP shows no more. */
const MAX_VALUES = 100

/** `orders::complete`: which order a person may mean who is typing an order id. Only open ones can be refunded. */
export function serveCompletion(worker: Worker, book: OrderBook): void {
  worker.registerFunction(
    'orders::complete',
    async ({ argument: { name, value } }) => {
      if (name !== 'order_id') return []
      const typed = value.trim().toUpperCase()
      const orders = toSorted(await book.list({ status: 'open' }), 'created_at')
      const ids = orders.map(({ id }) => id).filter((id) => id.includes(typed))
      return { values: ids.slice(0, MAX_VALUES), total: ids.length }
    },
    {
      description: 'Completes the arguments of the prompt refund-order.',
      request_format: CompletionRequest,
      response_format: CompletionAnswer,
      mcp: { expose: false },
    },
  )
}
