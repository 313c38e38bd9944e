import { startMockEngine } from '@iii/mock-engine'
import { Fault } from '@iii/protocol'
import { createLog, type McpContext, registerWorker } from '@iii/sdk'
import { expect, it, vi } from 'vitest'
import type { ToolFunction } from '../catalog/received-tool.ts'
import { serveCallTelling } from './call-feed.ts'

const log = createLog({ name: 'mcp-client', level: 'silent' })
const fn = { id: 'demo::slow', metadata: {} } as ToolFunction

function callBy(signal: AbortSignal): McpContext {
  return { signal, client: undefined, call: { invocationId: '' } } as McpContext
}

it('a call of a worker whose time is over is told with its deadline, since no client has given it up', async () => {
  await using engine = await startMockEngine()
  await using worker = registerWorker(engine.url, { name: 'mcp-client', log })
  const telling = serveCallTelling(worker, log)
  const told: { outcome: string; code?: string }[] = []
  worker.registerFunction('listener::note', ({ calls }: { calls: typeof told }) => {
    told.push(...calls)
    return null
  })
  worker.registerTrigger({ type: 'mcp-client::on-call', function_id: 'listener::note', config: {} })
  await worker.ready()
  await vi.waitFor(async () => {
    await telling.tell(fn, {}, callBy(AbortSignal.any([])), async () => 'done')
    expect(told.at(-1)).toMatchObject({ outcome: 'ok' })
  }, 5000)
  const late = new Fault('deadline', 'demo::slow has taken longer than 60000 ms')
  const signal = AbortSignal.abort(late)
  await expect(telling.tell(fn, {}, callBy(signal), () => Promise.reject(late))).rejects.toBe(late)
  await vi.waitFor(() => expect(told.at(-1)).toMatchObject({ outcome: 'error', code: 'deadline' }), 5000)
  await telling.close()
})
