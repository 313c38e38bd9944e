import { Fault } from '@iii/protocol'
import { type McpFacts, registerMcpFunction, type Worker } from '@iii/sdk'
import { z } from 'zod'
import { OrderFilter } from './order.ts'
import type { OrderBook } from './order-book.ts'
import { Report } from './report.ts'

/** A report over more orders than that is worth a question. */
const ASK_ABOVE = 100

const GoOn = z.object({ go_on: z.boolean().default(true).describe('Add all of them up') })

/** `orders::report`: asks first when there is much to add up, shows how far it is, and stops when nobody wants it any more. */
export function serveReport(worker: Worker, book: OrderBook, mcp: McpFacts): void {
  registerMcpFunction(
    worker,
    'orders::report',
    async (filter, { ask, once, progress, signal }) => {
      const count = await once('count', () => book.count(filter))
      if (count > ASK_ABOVE) {
        const answer = await ask.form(`Add up ${count} orders?`, GoOn, { default: { go_on: true } })
        if (answer.action !== 'accept' || !answer.content.go_on) throw unwanted()
      }
      return await book.report(filter, { signal, onStep: (done, total) => void progress(done, total, 'orders') })
    },
    {
      description:
        'Adds up all orders by status, customer and day. Reads every order: a longer job when there are many.',
      request_format: OrderFilter,
      response_format: Report,
      mcp: { ...mcp, timeout_ms: 120_000 },
    },
  )
}

function unwanted(): Fault {
  return new Fault('forbidden', 'The user does not want all these orders added up: report on one customer or status')
}
