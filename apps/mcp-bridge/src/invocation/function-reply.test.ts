import { describe, expect, it } from 'vitest'
import { RpcError } from '../mcp/rpc.ts'
import { readReply } from './function-reply.ts'

function refuse(data: unknown, code = -32_050, era: Parameters<typeof readReply>[2] = 'session'): RpcError | undefined {
  try {
    readReply({ result_type: 'protocol_error', code, message: 'no more', data }, 'orders::get', era)
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

describe('the code of an error of the protocol', () => {
  it.each([
    [-32_002, -32_602],
    [-32_042, -32_603],
    [-32_050, -32_603],
    [-32_099, -32_603],
    [-32_019, -32_019],
    [-32_100, -32_100],
    [7, 7],
  ])('is not %i in 2026-07-28 where that is kept for MCP, but %i', (said, told) => {
    expect(refuse(undefined, said, 'stateless')?.code).toBe(told)
    for (const era of ['session', 'plain'] as const) expect(refuse(undefined, said, era)?.code).toBe(said)
  })

  it.each([-32_001, -32_003, -32_004, -32_020, -32_601])('is not %i, which a client would act upon', (said) => {
    for (const era of ['session', 'plain', 'stateless'] as const)
      expect(refuse(undefined, said, era)?.code).toBe(-32_603)
  })
})
