import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RpcError } from '../mcp/rpc.ts'
import type { TaskRow } from './record.ts'
import { readWritten, toFailed, toFailure } from './written.ts'

const facts = { function_id: 'a::b', has_output_schema: false }

describe('what is written down of a task', () => {
  it('reads as a result, an error, or nothing, whoever wrote it', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.anything(), fc.record({ value: fc.jsonValue() }), fc.record({ error: fc.anything() })),
        (written) => {
          const outcome = readWritten(written, facts)
          if (outcome === undefined) return
          if ('error' in outcome)
            expect(outcome.error).toMatchObject({ code: expect.any(Number), message: expect.any(String) })
          else expect(outcome.result).toBeTypeOf('object')
        },
      ),
    )
  })

  it('by a function is shown as if it had answered', () => {
    expect(readWritten({ value: 'done' }, facts)).toEqual({ result: { content: [{ type: 'text', text: 'done' }] } })
    expect(readWritten({ value: null }, facts)).toMatchObject({ result: { content: [{ type: 'text' }] } })
    expect(readWritten({ error: 'Taken [conflict]' }, facts)).toEqual({
      result: { content: [{ type: 'text', text: 'Error: Taken' }], isError: true },
    })
    const refusal = { result_type: 'protocol_error', code: -32603, message: 'Broken' }
    expect(readWritten({ value: refusal }, facts)).toEqual({ error: { code: -32603, message: 'Broken' } })
  })

  it('is told without stack and paths where it is an error', () => {
    const message = 'Broken in /srv/shop/secret.ts\n    at pay (/srv/shop/pay.ts:3:1)'
    const refusal = { result_type: 'protocol_error', code: -32603, message }
    const plain = { error: { code: -32603, message: 'Broken in <path>' } }
    expect([readWritten({ value: refusal }, facts), toFailure(new RpcError(-32603, message))]).toEqual([plain, plain])
  })

  it('by a bridge comes back as it was', () => {
    for (const outcome of [{ result: { content: [] } }, toFailure(new Error('x'))]) {
      expect(readWritten(JSON.parse(JSON.stringify(outcome)), facts)).toEqual(outcome)
    }
    const error = { code: -32021, message: 'no', data: { a: 1 } }
    expect(readWritten({ error }, facts)).toEqual({ error })
  })
})

it('what has failed has an error, also when its function wrote down another end after that', () => {
  const row = { status: 'failed', function_id: 'jobs::run' } as TaskRow
  const late = { result: { content: [{ type: 'text' as const, text: 'Error: aborted' }], isError: true } }
  expect(toFailed(row, late)).toMatchObject({ error: { message: expect.stringMatching(/^jobs::run did not answer/) } })
  expect(toFailed({ ...row, status: 'completed' }, late)).toBe(late)
})
