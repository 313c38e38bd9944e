import { startMockEngine } from '@iii/mock-engine'
import { Fault } from '@iii/protocol'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import type { Answer } from '../ask/question.ts'
import { createStateScope } from '../state/state-scope.ts'
import { offer, startMcpStage } from '../testing/mcp-stage.ts'
import type { Worker } from '../worker/worker.ts'
import { announceChange } from './announce-change.ts'
import { registerMcpFunction } from './register-mcp-function.ts'

const Order = z.object({ sku: z.string(), quantity: z.int().default(1) })

describe('a function that speaks MCP', () => {
  it('is registered with what it says about itself, and its input is checked and typed', async () => {
    await using on = await startMcpStage(startMockEngine)
    registerMcpFunction(
      on.worker,
      'shop::order',
      ({ sku, quantity }, { client }) => {
        expectTypeOf(quantity).toEqualTypeOf<number>()
        return { text: `${quantity} ${sku} for ${client?.name ?? 'a worker'}` }
      },
      {
        description: 'Orders',
        request_format: Order,
        response_format: z.object({ text: z.string() }),
        metadata: { team: 'shop' },
        mcp: { title: 'Order', timeout_ms: 1000, annotations: { readOnlyHint: false } },
      },
    )
    await on.worker.ready()
    const payload = { sku: 'TEA' }
    expect(await on.caller.trigger({ function_id: 'shop::order', payload })).toEqual({ text: '1 TEA for a worker' })
    const sidecar = { client: { name: 'ada', version: '1' } }
    expect(await on.bridge.call('shop::order', { input: payload, sidecar })).toEqual({ text: '1 TEA for ada' })
    await expect(on.bridge.call('shop::order', { input: {} })).rejects.toThrow('sku: must be a string')
    const info = await on.caller.trigger({
      function_id: 'engine::functions::info',
      payload: { function_id: 'shop::order' },
    })
    expect(info).toMatchObject({
      description: 'Orders',
      metadata: {
        team: 'shop',
        'mcp.title': 'Order',
        'mcp.timeout_ms': 1000,
        'mcp.annotations': { readOnlyHint: false },
        'mcp.cancel': `mcp-cancel::${on.worker.instance}`,
      },
    })
    expect((info as { metadata: object }).metadata).not.toHaveProperty(['mcp.keeps_result'])
  })

  it('is handed what a resource was asked for', async () => {
    await using on = await startMcpStage(startMockEngine)
    await offer(on, ({ uri, variables, client }) => ({ uri, variables, capabilities: client?.capabilities }))
    const sidecar = { uri: 'shop://tea/1', variables: { kind: 'tea' }, client_capabilities: {} }
    expect(await on.bridge.call('shop::job', { sidecar })).toEqual({
      uri: 'shop://tea/1',
      variables: { kind: 'tea' },
      capabilities: {},
    })
    expect(await on.caller.trigger({ function_id: 'shop::job' })).toEqual({ variables: {} })
  })

  it('types what it asks for', () => {
    registerMcpFunction(
      { functionIds: [], instance: '', registerFunction: () => ({}), trigger: () => ({}) } as never,
      'shop::x',
      async (_, { ask, once }) => {
        expectTypeOf(await once('n', () => 1)).toEqualTypeOf<number>()
        expectTypeOf(ask.form('?', Order)).resolves.toEqualTypeOf<Answer<{ sku: string; quantity: number }>>()
        expectTypeOf(ask.form('?', { type: 'object' })).resolves.toEqualTypeOf<
          Answer<Record<string, string | number | boolean | string[]>>
        >()
        // @ts-expect-error: the default is a filled-in form
        await ask.form('?', Order, { default: { sku: 1 } })
      },
    )
  })
})

describe('a task', () => {
  const task = { id: 't1', scope: 'mcp-tasks' }

  it('has its result in engine state before it answers', async () => {
    await using on = await startMcpStage(startMockEngine)
    await offer(on, ({ client }) => (client === undefined ? undefined : { answer: 42 }), { task: 'optional' })
    const rows = createStateScope(on.caller, task.scope)
    const info = await on.caller.trigger({
      function_id: 'engine::functions::info',
      payload: { function_id: 'shop::job' },
    })
    expect(info).toMatchObject({ metadata: { 'mcp.keeps_result': true, 'mcp.task': 'optional' } })
    expect(await on.bridge.call('shop::job')).toEqual({ answer: 42 })
    expect(await rows.list()).toEqual([])
    expect(await on.bridge.call('shop::job', { sidecar: { task } })).toEqual({ answer: 42 })
    expect(await rows.get('t1')).toEqual({ value: { answer: 42 } })
  })

  it('that fails leaves the reason there, as its caller reads it', async () => {
    await using on = await startMcpStage(startMockEngine)
    await offer(on, () => Promise.reject(new Fault('conflict', 'Taken')), { task: 'required' })
    await expect(on.bridge.call('shop::job', { sidecar: { task } })).rejects.toThrow('Taken [conflict]')
    expect(await createStateScope(on.caller, task.scope).get('t1')).toEqual({ error: 'Taken [conflict]' })
  })

  it('that asks is not over yet, whichever way it asks', async () => {
    await using on = await startMcpStage(startMockEngine)
    const byHand = { result_type: 'input_required', input_requests: {} }
    let first = true
    await offer(
      on,
      ({ ask }) => {
        first = !first
        return first ? byHand : ask.roots()
      },
      { task: 'optional' },
    )
    for (const _ of [1, 2]) await on.bridge.callOnce('shop::job', { sidecar: { task } })
    expect(await createStateScope(on.caller, task.scope).list()).toEqual([])
  })

  it('answers all the same where there is no state', async () => {
    const startEngine = () => startMockEngine({ faults: [{ fault: 'fail-call', function: 'state::set' }] })
    await using on = await startMcpStage(startEngine)
    await offer(on, () => 'done', { task: 'optional' })
    expect(await on.bridge.call('shop::job', { sidecar: { task } })).toBe('done')
    expect(on.stage.log.messages('warn')).toContain('the result of a task was not written down')
  })
})

describe('an announcement', () => {
  it('reaches whoever offers mcp::changed, and nobody minds when there is none', async () => {
    await using on = await startMcpStage(startMockEngine)
    announceChange(on.worker, { kind: 'tools' })
    const heard = new Promise((resolve) => {
      on.caller.registerFunction('mcp::changed', (change) => resolve(change))
    })
    await on.caller.ready()
    announceChange(on.worker, { kind: 'resource', uri: 'shop://tea' })
    expect(await heard).toEqual({ kind: 'resource', uri: 'shop://tea' })
    await on.worker.shutdown()
    announceChange(on.worker, { kind: 'prompts' })
  })

  it('needs the worker first, and says so', () => {
    const forgotten = registerMcpFunction as unknown as (id: string, handler: () => string) => void
    expect(() => forgotten('shop::greet', () => 'x')).toThrow('takes the worker first: (worker, id, handler, options)')
  })

  it('says to its author what once takes', async () => {
    await using on = await startMcpStage(startMockEngine)
    await offer(on, async ({ once }) => await (once as unknown as (work: () => number) => unknown)(() => 1))
    await expect(on.bridge.call('shop::job')).rejects.toThrow(
      "once takes a name and then the work: once('ids', () => …)",
    )
  })

  it('tells in the log what is no change, which nobody would announce', () => {
    const told: unknown[] = []
    const log = { warn: (text: string) => told.push(text) } as unknown as Worker['log']
    const trigger = () => Promise.reject(new Error('called'))
    announceChange({ log, trigger }, { kind: 'tool' } as never)
    announceChange({ log, trigger }, { kind: 'resource' } as never)
    expect(told).toEqual([
      expect.stringMatching(/^a change is not announced: change.kind: must be one of/),
      'a change is not announced: change.uri: must be a string, but it is missing',
    ])
  })
})
