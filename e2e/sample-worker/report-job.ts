import { Fault } from '@iii/protocol'
import { type McpFacts, registerMcpFunction, type Worker } from '@iii/sdk'
import { z } from 'zod'
import type { OrderBook } from './order-book.ts'
import { formatFilter, OrderReport } from './order-filter.ts'
import { Figures } from './report.ts'

/** A report over more orders than that is worth a question. */
const ASK_ABOVE = 100

/** What is asked for, and which orders were counted for it: figures without that are read as what was meant. */
const Report = Figures.extend({ counted: z.string() })

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
      const onStep = (done: number, total: number) => void progress(done, total, 'orders')
      return { counted: formatFilter(filter), ...(await book.report(filter, { signal, onStep })) }
    },
    {
      description:
        'Adds up orders by status, customer and day (UTC, of created_at), in minor units (cents). Cancelled ones count, as a status; the groups of each kind add up to the totals.',
      request_format: OrderReport,
      response_format: Report,
      mcp: { ...mcp, timeout_ms: 120_000 },
    },
  )
}

function unwanted(): Fault {
  return new Fault(
    'forbidden',
    'The user does not want all these orders added up: name a customer, a status, from or to',
  )
}
