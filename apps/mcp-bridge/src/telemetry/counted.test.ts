import { describe, expect, it } from 'vitest'
import { AuthBlock } from '../auth/settings/auth-block.ts'
import { createToken, toDigest } from '../auth/token.ts'
import { askForResult, begin, offerJob, over } from '../testing/tasks.ts'
import { startTracedBridge } from '../testing/traced-bridge.ts'
import { untilAnswer } from '../testing/until.ts'

type Stage = Awaited<ReturnType<typeof startTracedBridge>>

const valuesOf = ({ collector }: Stage, name: string) =>
  collector.metrics.get(name)?.points.map(({ labels, value }) => [labels, value])

describe('metrics of tasks', () => {
  it('tell how many are over, and how each ended', async () => {
    await using at = await startTracedBridge()
    const { bridge } = at
    const [good, bad, left] = [
      offerJob(bridge.other, 'jobs::good'),
      offerJob(bridge.other, 'jobs::bad'),
      offerJob(bridge.other, 'jobs::left'),
    ]
    await bridge.other.ready()
    await untilAnswer(bridge.toolNames, (names) => names.includes('jobs__left'))
    const ids = []
    for (const name of ['jobs__good', 'jobs__bad', 'jobs__left']) ids.push(await begin(bridge, name))
    await untilAnswer(
      () => [good, bad, left].map(({ calls }) => calls.length),
      (counts) => counts.join() === '1,1,1',
    )
    await askForResult(bridge, 'tasks/cancel', { taskId: ids[2] })
    good.end('done')
    bad.fail(new Error('no'))
    for (const id of ids) await over(bridge, id)
    await at.close()
    const rows = valuesOf(at, 'iii.mcp.tasks') ?? []
    expect(new Map(rows.map(([labels, value]) => [JSON.stringify(labels), value]))).toEqual(
      new Map([
        ['{"outcome":"ok"}', 1],
        ['{"outcome":"error"}', 1],
        ['{"outcome":"given_up"}', 1],
      ]),
    )
  })
})

describe('metrics of streams', () => {
  it('tell how many are open at the moment', async () => {
    await using at = await startTracedBridge({ variables: { OTEL_METRIC_EXPORT_INTERVAL: '20' } })
    const { headers } = await at.bridge.rpc('initialize', { protocolVersion: '2025-06-18', capabilities: {} })
    const session = { 'mcp-session-id': headers.get('mcp-session-id') ?? '' }
    const open = () => valuesOf(at, 'iii.mcp.streams')?.[0]?.[1]
    const listening = new AbortController()
    const { status } = await fetch(at.bridge.url, {
      headers: { accept: 'text/event-stream', ...session },
      signal: listening.signal,
    })
    expect(status).toBe(200)
    await untilAnswer(open, (count) => count === 1)
    await fetch(at.bridge.url, { method: 'DELETE', headers: session })
    await untilAnswer(open, (count) => count === 0)
    listening.abort()
    expect(at.collector.mistakes).toEqual([])
  })
})

describe('metrics of limits', () => {
  it('tell of requests beyond what a principal may send, and not whose they were', async () => {
    const [ci, desk] = [createToken(), createToken()]
    const auth = AuthBlock.parse({
      tokens: [
        { name: 'ci', hash: [toDigest(ci)], grant: 'all', limits: { per_minute: 1, burst: 2 } },
        { name: 'desk', hash: [toDigest(desk)], grant: 'all' },
      ],
      grants: { all: {} },
    })
    await using at = await startTracedBridge({ options: { auth } })
    const statuses = []
    for (const token of [ci, ci, ci, desk, ci]) {
      statuses.push((await at.bridge.rpc('ping', {}, { authorization: `Bearer ${token}` })).status)
    }
    await at.close()
    expect(statuses).toEqual([200, 200, 429, 200, 429])
    expect(valuesOf(at, 'iii.mcp.throttled')).toEqual([[{ reason: 'too-many-requests' }, 2]])
    expect(JSON.stringify(at.collector.posts)).not.toMatch(/token:(?:ci|desk)/)
  })
})

describe('prompts', () => {
  it('are named in spans and metrics, where they are none that only a client has thought of', async () => {
    await using at = await startTracedBridge({ options: { noBuiltins: false } })
    const { prompts } = await at.bridge.result<{ prompts: { name: string; arguments?: { name: string }[] }[] }>(
      'prompts/list',
    )
    const [first] = prompts
    const given = Object.fromEntries(
      (first?.arguments ?? []).map(({ name }) => [name, name === 'language' ? 'node' : 'x']),
    )
    await at.bridge.result('prompts/get', { name: first?.name, arguments: given })
    await at.bridge.rpc('prompts/get', { name: 'nobody-has-this' })
    await at.close()
    const spans = at.collector.spans.filter(({ attributes }) => attributes['mcp.method.name'] === 'prompts/get')
    expect(spans.map(({ name, attributes }) => [name, attributes['gen_ai.prompt.name']])).toEqual([
      [`prompts/get ${first?.name}`, first?.name],
      ['prompts/get', 'nobody-has-this'],
    ])
    const { points = [] } = at.collector.metrics.get('mcp.server.operation.duration') ?? {}
    const named = points.flatMap(({ labels }) => labels['gen_ai.prompt.name'] ?? [])
    expect(named).toEqual([first?.name, '_OTHER'])
  })
})
