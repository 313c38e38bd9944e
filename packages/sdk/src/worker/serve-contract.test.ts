import { defineContract } from '@iii/protocol'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { invoke, startScriptedStage } from '../testing/start-worker.ts'
import { serveContract } from './serve-contract.ts'

const contract = defineContract({
  id: 'orders::count',
  description: 'Counts orders',
  request: z.object({ status: z.string().default('open') }),
  response: z.object({ count: z.number() }),
  metadata: { 'mcp.expose': true },
})

describe('a function with a contract', () => {
  it('is registered as the contract says, with what is added here', async () => {
    await using stage = await startScriptedStage()
    serveContract(stage.worker, contract, () => ({ count: 1 }), { metadata: { 'mcp.tier': 'a' } })
    expect(await stage.peer.next('registerfunction')).toMatchObject({
      id: 'orders::count',
      description: 'Counts orders',
      request_format: { properties: { status: { default: 'open' } } },
      response_format: { required: ['count'] },
      metadata: { 'mcp.expose': true, 'mcp.tier': 'a' },
    })
  })

  it('is handed payloads that fit it, defaults filled in', async () => {
    await using stage = await startScriptedStage()
    serveContract(stage.worker, contract, ({ status }) => ({ count: status.length }))
    expect(await invoke(stage.peer, 'orders::count', {})).toMatchObject({ result: { count: 4 } })
    expect((await invoke(stage.peer, 'orders::count', { status: 1 })).error?.message).toBe(
      'status: must be a string, not a number [invalid_input]',
    )
  })
})
