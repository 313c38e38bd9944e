import { Logger } from '@iii-dev/helpers/observability'
import { type IIIClient, InvocationError } from 'iii-sdk'

interface Relay {
  function_id: string
  payload?: unknown
  metadata?: unknown
  action?: { type: 'void' } | { type: 'enqueue'; queue: string }
  timeout_ms?: number
}

/** Functions that are called, and one that calls others. */
export function offerTools(iii: IIIClient): void {
  iii.registerFunction('demo::add', async ({ a, b }: { a: number; b: number }) => ({ sum: a + b }), {
    description: 'Adds two numbers.',
    request_format: {
      type: 'object',
      properties: { a: { type: 'number' }, b: { type: 'number' } },
      required: ['a', 'b'],
    },
    response_format: { type: 'object', properties: { sum: { type: 'number' } } },
    metadata: { 'mcp.expose': true, mcp: { title: 'Add', annotations: { readOnlyHint: true } } },
  })

  iii.registerFunction('demo::boom', async () => {
    throw new Error('The demo exploded')
  })

  iii.registerFunction('demo::echo', async (data, metadata) => ({ data, metadata: metadata ?? null }))
  iii.registerFunction('demo::nothing', async () => {})

  iii.registerFunction('demo::relay', async ({ timeout_ms, ...request }: Relay) => {
    try {
      const timeout = timeout_ms === undefined ? {} : { timeoutMs: timeout_ms }
      return { result: await iii.trigger({ payload: {}, ...request, ...timeout }) }
    } catch (error) {
      if (!(error instanceof InvocationError)) throw error
      return { error: { code: error.code, message: error.message } }
    }
  })

  iii.registerFunction('demo::log', async ({ message }: { message: string }) => {
    new Logger(undefined, 'demo').warn(message, { from: 'demo' })
    return {}
  })
}
