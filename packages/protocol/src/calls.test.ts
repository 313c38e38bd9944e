import { describe, expect, it } from 'vitest'
import { MAX_VISIBLE_IDS, McpCallBatch, McpCallConfig, McpCallRecord, VisibleAnswer, VisibleRequest } from './calls.ts'
import { MCP_ON_CALL, MCP_ON_CALL_DESCRIPTION } from './changes.ts'

const call: McpCallRecord = {
  version: 1,
  call_id: 'c1',
  kind: 'tool',
  session: 's1',
  client: { name: 'host', version: '1' },
  tool: 'orders__create',
  function_id: 'orders::create',
  started_at: '2026-01-01T00:00:00.000Z',
  ms: 12,
  outcome: 'error',
  code: 'deadline',
  bytes_in: 2,
  bytes_out: 30,
  input: {},
}

describe('what bridges tell of calls', () => {
  it('is one trigger type', () => {
    expect(MCP_ON_CALL).toBe('mcp::on-call')
    expect(MCP_ON_CALL_DESCRIPTION).toMatch(/in batches\.$/)
    const isRight = (config: object) => McpCallConfig.safeParse(config).success
    expect([{}, { inputs: true }, { kinds: ['auth'], principals: ['token:*'] }].map(isRight)).toEqual([
      true,
      true,
      true,
    ])
    expect([{ inputs: 'yes' }, { kind: ['auth'] }, { kinds: ['call'] }, { functions: [] }].map(isRight)).toEqual(
      Array.from({ length: 4 }, () => false),
    )
  })

  it('comes in batches, with what is missing', () => {
    const gap = { dropped: 7, since: '2026-01-01T00:00:00.000Z', until: '2026-01-01T00:00:01.000Z' }
    const batch = { version: 1, via: 'mcp::b1', calls: [call], gap }
    expect(McpCallBatch.parse(batch)).toEqual(batch)
    expect(McpCallBatch.parse({ version: 1, via: 'mcp::b1', calls: [], gap })).toMatchObject({ calls: [] })
    expect(McpCallBatch.safeParse({ ...batch, calls: Array.from({ length: 101 }, () => call) }).success).toBe(false)
  })

  it('has fields of later bridges too, and no other version', () => {
    expect(McpCallRecord.parse({ ...call, tenant: 't' })).toEqual({ ...call, tenant: 't' })
    expect(McpCallRecord.safeParse({ ...call, version: 2 }).success).toBe(false)
    expect(McpCallRecord.safeParse({ ...call, outcome: 'maybe' }).success).toBe(false)
  })
})

it('what a client may see is asked for in bounds', () => {
  const ids = Array.from({ length: MAX_VISIBLE_IDS }, (_, at) => `f::${at}`)
  expect(VisibleRequest.safeParse({ call_id: 'c', function_ids: ids }).success).toBe(true)
  expect(VisibleRequest.safeParse({ call_id: 'c', function_ids: [...ids, 'x'] }).success).toBe(false)
  expect(VisibleRequest.safeParse({ call_id: '', function_ids: [] }).success).toBe(false)
  expect(VisibleAnswer.parse({ visible: [] })).toEqual({ visible: [] })
})
