import { randomBytes } from 'node:crypto'
import { currentTrace } from '@iii/sdk'
import { afterAll, beforeAll, expect } from 'vitest'
import { type Child, startChild } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { CLIENT_KINDS } from '../clients.ts'
import { startCollector, type TestCollector } from '../collector.ts'
import { hasFunctions, requestOnce } from '../facts.ts'
import { connectHost } from '../hosts.ts'
import { bridgeProgram, stdioBridge } from '../programs.ts'
import { scenario } from '../scenario.ts'
import { type Stack, startStack } from '../stack.ts'
import { until } from '../until.ts'

const cleanup = createCleanup()
let stack: Stack
let collector: TestCollector

beforeAll(async () => {
  collector = cleanup.use(await startCollector())
  stack = cleanup.use(await startStack({ workers: [] }))
  const { worker } = stack
  worker.registerFunction('traced::work', () => ({ within: currentTrace()?.traceparent ?? 'nothing' }))
  await until(() => hasFunctions(worker, ['traced::work']), { what: 'the function to be there' })
})
afterAll(() => cleanup.run())

const toVariables = (url: string) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_BSP_SCHEDULE_DELAY: '50' })

/** A bridge with an endpoint of its own that sends to a collector. @returns the endpoint, and its process */
async function startTraced(path: string, url: string): Promise<{ mcpUrl: string; child: Child }> {
  const program = bridgeProgram(stack.engineUrl, ['--api-path', path])
  const child = cleanup.use(startChild({ ...program, env: toVariables(url) }))
  const mcpUrl = `${stack.httpUrl}${path}`
  await until(async () => (await requestOnce(mcpUrl, 'ping')) !== undefined, { what: `${path} to be served` })
  return { mcpUrl, child }
}

function startHostSpan() {
  const [traceId, spanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')]
  return { traceId, spanId, traceparent: `00-${traceId}-${spanId}-01` }
}

scenario(['telemetry/one-tree'], 'a host, the bridge and a function are one tree of spans', async () => {
  const { mcpUrl } = await startTraced('/traced', collector.url)
  const stdio = { ...stdioBridge(stack.engineUrl), env: toVariables(collector.url) }
  for (const target of [mcpUrl, stdio]) {
    for (const kind of CLIENT_KINDS) {
      const { traceId, spanId, traceparent } = startHostSpan()
      await using host = await connectHost(kind, target)
      const { structuredContent } = await host.call('traced__work', {}, { traceparent })
      const span = await until(async () => collector.spans.find((known) => known.traceId === traceId), {
        what: `the span of ${kind} to be sent`,
        deadlineMs: 15_000,
      })
      expect(span).toMatchObject({ name: 'tools/call traced__work', parentSpanId: spanId, isError: false })
      expect(span.attributes['network.transport']).toBe(target === mcpUrl ? 'tcp' : 'pipe')
      expect(structuredContent).toEqual({ within: `00-${traceId}-${span.spanId}-01` })
    }
  }
  expect(collector.mistakes).toEqual([])
})

scenario(['telemetry/no-cost'], 'a silent collector costs no call, nor does one that is not there', async () => {
  const silent = cleanup.use(await startCollector())
  silent.answer = 'never'
  const gone = await startCollector()
  await gone[Symbol.asyncDispose]()
  for (const [path, { url }] of Object.entries({ '/silent': silent, '/gone': gone })) {
    const { mcpUrl, child } = await startTraced(path, url)
    const params = { name: 'traced__work', arguments: {} }
    for (let round = 0; round < 30; round++) {
      const replies = await Promise.all(Array.from({ length: 20 }, () => requestOnce(mcpUrl, 'tools/call', params)))
      expect(replies.filter((reply) => reply === undefined)).toEqual([])
    }
    const startedAt = performance.now()
    expect(await child.stop()).toEqual({ code: 0, signal: null })
    expect(performance.now() - startedAt).toBeLessThan(2_500)
  }
  expect(silent.posts.length).toBeGreaterThan(0)
})

scenario(['telemetry/bounded'], 'names that only clients have thought of are no labels', async () => {
  const { mcpUrl, child } = await startTraced('/bounded', collector.url)
  const words = Array.from({ length: 600 }, () => randomBytes(6).toString('hex'))
  for (let at = 0; at < words.length; at += 50) {
    const some = words.slice(at, at + 50)
    await Promise.all(some.map((name, n) => requestOnce(mcpUrl, ...toRandomRequest(name, n))))
  }
  await child.stop()
  const { points = [] } = collector.metrics.get('mcp.server.operation.duration') ?? {}
  expect(points.reduce((sum, { value }) => sum + value, 0)).toBeGreaterThanOrEqual(words.length)
  expect(points.length).toBeLessThan(20)
  const text = JSON.stringify([...collector.metrics.values()])
  expect(words.filter((word) => text.includes(word))).toEqual([])
})

function toRandomRequest(name: string, n: number): [method: string, params: object] {
  const requests: [string, object][] = [
    ['tools/call', { name }],
    ['tools/call', { name: `${name}__x` }],
    ['tools/call', { name: `engine__${name}` }],
    ['prompts/get', { name }],
    ['resources/read', { uri: `iii://fn/${name}/x` }],
    [`tools/${name}`, {}],
  ]
  return requests[n % requests.length] ?? ['ping', {}]
}
