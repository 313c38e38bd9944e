import { randomUUID } from 'node:crypto'
import { startMockEngine } from '@iii/mock-engine'
import { createLog, registerWorker, type Worker } from '@iii/sdk'
import { expect, it } from 'vitest'
import { startBridge } from '../testing/bridge.ts'
import { isHeard, listenToCalls } from '../testing/call-listener.ts'
import { untilAnswer } from '../testing/until.ts'

const log = createLog({ name: 'test', level: 'silent' })

async function reside(url: string, namespace: string): Promise<Worker> {
  const worker = registerWorker(url, { name: 'listener', namespace, log })
  await worker.ready({ timeoutMs: 5_000 })
  return worker
}

it('a subscriber is told where it is, by each bridge of the namespace that it is bound in', async () => {
  await using engine = await startMockEngine({ engine: '0.23' })
  await using first = await startBridge(engine, { options: { apiPath: 'first' } })
  await using second = await startBridge(engine, { options: { apiPath: 'second' } })
  // No bridge is where it is, so it is bound in `default`. Somebody there has a function of the same id.
  await using far = await reside(engine.url, 'orders')
  const namesake: unknown[] = []
  first.other.registerFunction('listener::on-call', (batch) => void namesake.push(batch))
  await first.other.ready()
  const listener = await listenToCalls(far)
  for (const bridge of [first, second]) await isHeard(bridge, listener)
  expect(namesake).toEqual([])
})

it('a bridge tells nobody who is bound to those of another namespace alone', async () => {
  await using engine = await startMockEngine({ engine: '0.23' })
  const lines: unknown[] = []
  const write = (...line: unknown[]) => void lines.push(line)
  const recorded = { debug: () => undefined, info: write, warn: write, error: write, child: () => recorded }
  await using here = await startBridge(engine, { options: { apiPath: 'here' }, log: recorded })
  await using there = await startBridge(engine, { options: { apiPath: 'there' }, namespace: 'orders' })
  const near = await listenToCalls(here.other, {}, { id: 'near::on-call' })
  const far = await listenToCalls(there.other, {}, { id: 'far::on-call' })
  await isHeard(here, near)
  await isHeard(there, far)
  const vias = (batches: readonly { via: string }[]) => new Set(batches.map(({ via }) => via))
  expect(vias(near.batches)).toEqual(new Set([`mcp::${here.worker.instance}`]))
  expect(vias(far.batches)).toEqual(new Set([`mcp::${there.worker.instance}`]))
  expect(JSON.stringify(lines)).not.toContain('did not take records')
})

it('a bridge that is not told of bindings tells each call once, also where another namespace has a subscriber of the same id', async () => {
  await using engine = await startMockEngine({ engine: '0.23' })
  await using first = await startBridge(engine, { options: { apiPath: 'first' } })
  await using second = await startBridge(engine, { options: { apiPath: 'second' } })
  await using there = await startBridge(engine, { options: { apiPath: 'there' }, namespace: 'orders' })
  const far = await listenToCalls(there.other)
  const near = await listenToCalls(second.other)
  await isHeard(there, far)
  for (const bridge of [first, second]) {
    const countOnce = async () => {
      const name = `once_${randomUUID()}`
      await bridge.rpc('tools/call', { name })
      await near.hear({ tool: name })
      await isHeard(bridge, near)
      return near.calls().filter(({ tool }) => tool === name).length
    }
    // A look that began before the other bridge said where the subscriber is may tell twice for a moment.
    await isHeard(bridge, near)
    await untilAnswer(countOnce, (count) => count === 1)
  }
  expect(far.calls().filter(({ tool }) => tool?.startsWith('once_'))).toEqual([])
})

it('a record says where a function is, unless that is default', async () => {
  await using engine = await startMockEngine({ engine: '0.23' })
  await using here = await startBridge(engine, { options: { apiPath: 'here', namespaces: ['orders'] } })
  await using there = await startBridge(engine, {
    options: { apiPath: 'there', namespaces: ['default'] },
    namespace: 'orders',
  })
  for (const { other } of [here, there]) other.registerFunction('demo::hello', () => 'hello')
  const near = await listenToCalls(here.other)
  const far = await listenToCalls(there.other)
  await isHeard(here, near)
  await isHeard(there, far)
  const hear = async (bridge: typeof here, listener: typeof near, tool: string) => {
    await bridge.call(tool)
    return (await listener.hear({ tool })).namespace
  }
  expect(await hear(here, near, 'demo__hello')).toBeUndefined()
  expect(await hear(here, near, 'orders___demo__hello')).toBe('orders')
  expect(await hear(there, far, 'demo__hello')).toBe('orders')
  expect(await hear(there, far, 'default___demo__hello')).toBeUndefined()
  expect((await near.hear({ tool: 'demo__hello' })) && 'namespace' in (await near.hear({ tool: 'demo__hello' }))).toBe(
    false,
  )
})
