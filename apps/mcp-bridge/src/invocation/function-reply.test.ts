import { describe, expect, it } from 'vitest'
import { RpcError } from '../mcp/rpc.ts'
import { readReply } from './function-reply.ts'

function refuse(data: unknown): RpcError | undefined {
  try {
    readReply({ result_type: 'protocol_error', code: -32_050, message: 'no more', data }, 'orders::get')
  } catch (error) {
    if (error instanceof RpcError) return error
  }
  return undefined
}

describe('the details of an error of the protocol', () => {
  it('are handed on up to 64 KiB, and left out beyond: a reply that is too large would be none', () => {
    const most = 'x'.repeat(65_534)
    expect(refuse(most)).toMatchObject({ code: -32_050, message: 'no more', data: most })
    for (const data of [`${most}x`, '"'.repeat(40_000), { list: Array(65_536).fill(1) }]) {
      const refusal = refuse(data)
      expect([refusal?.code, refusal?.message, refusal?.data]).toEqual([-32_050, 'no more', undefined])
    }
  })
})
