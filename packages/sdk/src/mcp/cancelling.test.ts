import { startMockEngine } from '@iii/mock-engine'
import { refuse } from '@iii/protocol'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createStateScope } from '../state/state-scope.ts'
import { accept, answering, type McpStage, offer, startMcpStage } from '../testing/mcp-stage.ts'
import type { McpFacts } from './register-mcp-function.ts'

interface Reason {
  name: string
  message: string
}

/** Offers a function that runs until its signal fires, and answers with the reason. */
async function offerEndless(on: McpStage, mcp?: McpFacts) {
  let start: () => void = () => undefined
  const started = new Promise<void>((resolve) => {
    start = resolve
  })
  const ended: Reason[] = []
  const handler = async ({ signal }: { signal: AbortSignal }) => {
    start()
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve()
      signal.addEventListener('abort', () => resolve())
    })
    const { name, message } = signal.reason as Error
    ended.push({ name, message })
    return { name, message }
  }
  await offer(on, handler, mcp)
  return { started, ended }
}

/** What a bridge reads of a function before it calls it. */
async function readMetadata(on: McpStage, function_id: string): Promise<Record<string, unknown>> {
  const payload = { function_id }
  const { metadata } = await on.caller.trigger<{ metadata: Record<string, unknown> }>({
    function_id: 'engine::functions::info',
    payload,
  })
  return metadata
}

async function cancel(on: McpStage, call_id: string, why: object = {}): Promise<void> {
  const { 'mcp.cancel': function_id } = await readMetadata(on, 'shop::job')
  await on.caller.trigger({ function_id: String(function_id), payload: { call_id, ...why } })
}

const CANCELLED = { name: 'AbortError', message: 'The client has cancelled the call' }

describe('the signal of a call', () => {
  let on: McpStage
  afterEach(() => on[Symbol.asyncDispose]())

  it('fires when the client cancels that call', async () => {
    on = await startMcpStage(startMockEngine)
    const { started, ended } = await offerEndless(on)
    const first = on.bridge.call('shop::job', { sidecar: { call_id: 'first' } })
    const second = on.bridge.call('shop::job', { sidecar: { call_id: 'second' } })
    await started
    await cancel(on, 'second')
    expect(await second).toEqual(CANCELLED)
    expect(ended).toHaveLength(1)
    await cancel(on, 'first')
    expect(await first).toEqual(CANCELLED)
  })

  it('leaves nothing written of a task that its client has cancelled', async () => {
    on = await startMcpStage(startMockEngine)
    const task = { id: 't1', scope: 'mcp-tasks' }
    const { started, ended } = await offerEndless(on, { task: 'optional' })
    const call = on.bridge.call('shop::job', { sidecar: { call_id: 'given-up', task } })
    await started
    await cancel(on, 'given-up')
    expect(await call).toEqual(CANCELLED)
    expect(ended).toHaveLength(1)
    expect(await createStateScope(on.caller, task.scope).list()).toEqual([])
  })

  it('says when it is only that the bridge waits no longer', async () => {
    on = await startMcpStage(startMockEngine)
    const { started } = await offerEndless(on)
    const call = on.bridge.call('shop::job', { sidecar: { call_id: 'long' } })
    await started
    await cancel(on, 'long', { reason: 'deadline' })
    const reason = { name: 'Fault', message: 'The bridge does not wait for the call any longer' }
    expect(await call).toEqual(reason)
    await cancel(on, 'early', { reason: 'deadline' })
    expect(await on.bridge.call('shop::job', { sidecar: { call_id: 'early' } })).toEqual(reason)
  })

  it('has fired already when the cancellation overtook the call', async () => {
    on = await startMcpStage(startMockEngine)
    await offerEndless(on)
    await cancel(on, 'early')
    expect(await on.bridge.call('shop::job', { sidecar: { call_id: 'early' } })).toEqual(CANCELLED)
  })

  it('fires when the call takes too long', async () => {
    on = await startMcpStage(startMockEngine)
    await offerEndless(on, { timeout_ms: 30 })
    const reason = { name: 'Fault', message: 'shop::job has taken longer than 30 ms' }
    expect(await on.bridge.call('shop::job')).toEqual(reason)
    expect(await on.caller.trigger({ function_id: 'shop::job' })).toEqual(reason)
  })

  it('fires when the worker shuts down, and messages hold nobody up then', async () => {
    on = await startMcpStage(startMockEngine, () => new Promise(() => undefined))
    const { started, ended } = await offerEndless(on)
    const call = on.bridge.call('shop::job')
    await started
    await on.worker.shutdown()
    expect(await call).toEqual({ name: 'Error', message: 'This worker is shutting down' })
    expect(ended).toHaveLength(1)
  })

  it('ends the wait for a bridge that hangs', async () => {
    on = await startMcpStage(startMockEngine, () => new Promise(() => undefined))
    let heard: () => void = () => undefined
    const said = new Promise<void>((resolve) => {
      heard = resolve
    })
    await offer(on, ({ log }) => {
      void log('info', 'so far')
      heard()
      return 'done'
    })
    const call = on.bridge.call('shop::job')
    await said
    await cancel(on, 'c1')
    expect(await call).toBe('done')
    expect(on.stage.log.messages('debug')).not.toContain('the client of a call was not told')
  })

  it('is one of its own in each run', async () => {
    on = await startMcpStage(startMockEngine)
    await offer(on, async ({ ask, signal }) => {
      const answer = await ask.form('Go on?', z.object({}), { key: 'go' })
      return [answer.action, signal.aborted]
    })
    const answer = answering({ go: accept({}) })
    expect(await on.bridge.call('shop::job', { answer })).toEqual(['accept', false])
  })
})

describe('the function that hears of cancellations', () => {
  it('is one for a worker, which no client may call', async () => {
    await using on = await startMcpStage(startMockEngine)
    await offer(on, () => 'done')
    const { 'mcp.cancel': id } = await readMetadata(on, 'shop::job')
    expect(id).toBe(`mcp-cancel::${on.worker.instance}`)
    const metadata = await readMetadata(on, String(id))
    const rules = { requireExpose: false, exposeAll: false, tier: undefined, hiddenPrefixes: [] }
    expect(refuse(String(id), metadata, rules, 'tool')).toMatchObject({ reason: 'internal' })
    expect(on.worker.functionIds).toEqual(['shop::job', id])
  })
})
