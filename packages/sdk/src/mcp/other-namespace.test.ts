import { startMockEngine } from '@iii/mock-engine'
import { expect, it } from 'vitest'
import { startMockStage } from '../testing/mock-stage.ts'
import { serveStandInBridge } from '../testing/stand-in-bridge.ts'
import type { McpContext } from './mcp-context.ts'
import { registerMcpFunction } from './register-mcp-function.ts'

it.each([
  [undefined, 'orders'],
  ['orders', undefined],
  ['orders', 'shop'],
])('a function reports to a bridge in %s from %s', async (own, elsewhere) => {
  await using stage = await startMockStage(() => startMockEngine({ engine: '0.23' }))
  const worker = await stage.connect({ name: 'shop', namespace: elsewhere })
  const bridge = await serveStandInBridge(await stage.connect({ name: 'bridge', namespace: own }))
  const report = async (_: unknown, { log, progress, closeStream }: McpContext) => {
    await log('info', 'begun')
    await progress(1)
    await closeStream()
  }
  registerMcpFunction(worker, 'shop::job', report)
  await worker.ready()
  const namespace = elsewhere ?? 'default'
  await bridge.call('shop::job', { namespace, sidecar: { via_namespace: own ?? 'default' } })
  expect(bridge.told.map(({ what }) => what)).toEqual(['log', 'progress', 'close-stream'])
})
