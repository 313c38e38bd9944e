import { startMockEngine } from '@iii/mock-engine'
import { registerMcpFunction } from '@iii/sdk'
import { describe, expect, it } from 'vitest'
import { startBridge, type TestBridge } from '../testing/bridge.ts'
import { begin, createGateway, get, over } from '../testing/tasks.ts'

const rows = Array.from({ length: 900 }, (_, nth) => ({ id: nth, note: 'x'.repeat(50) }))
const mcp = { task: 'optional' } as const
const schema = {
  type: 'object',
  properties: { after: { type: 'integer' }, limit: { type: 'integer' }, [`a${'b'.repeat(100)}`]: {} },
}
const NOTE = /^\[This result is cut, .* Ask for less, or for the rest, with what it takes: after, limit\.\]$/

interface Kept {
  readonly content: { readonly text: string }[]
  readonly structuredContent?: unknown
  readonly isError?: boolean
}

async function resultOf(bridge: TestBridge, taskId: string): Promise<Kept> {
  return (await over(bridge, taskId))['result'] as Kept
}

function offer(bridge: TestBridge, id: string, handler: () => unknown, more: object = {}): Promise<void> {
  bridge.other.registerFunction(id, handler, { metadata: { mcp }, request_format: schema, ...more })
  return bridge.other.ready()
}

describe('what comes of a task', () => {
  it('is cut like the result of a call, and whole again where the limit is larger', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine, { options: { maxResultBytes: 20_000 } })
    await offer(bridge, 'jobs::rows', () => ({ rows }))
    const taskId = await begin(bridge, 'jobs__rows')
    const { content, structuredContent } = await resultOf(bridge, taskId)
    expect([content.length, structuredContent]).toEqual([2, undefined])
    expect(content[0]?.text).toMatch(NOTE)
    const shown = JSON.parse(content[1]?.text ?? '') as { rows: unknown[] }
    expect(shown.rows.length).toBeGreaterThan(100)
    expect(shown.rows).toEqual(rows.slice(0, shown.rows.length))
    bridge.set({ maxResultBytes: 200_000 })
    expect((await resultOf(bridge, taskId)).structuredContent).toEqual({ rows })
  })

  it('is cut by whichever bridge is asked, and as a failure where data was promised', async () => {
    await using engine = await startMockEngine()
    await using first = await startBridge(engine, { options: { apiPath: '/first', maxResultBytes: 200_000 } })
    await using second = await startBridge(engine, { options: { apiPath: '/second', maxResultBytes: 20_000 } })
    const response_format = { type: 'object', properties: { rows: { type: 'array' } }, required: ['rows'] }
    await offer(first, 'jobs::rows', () => ({ rows }), { response_format })
    await first.toolNames()
    const taskId = await begin(first, 'jobs__rows')
    expect(await resultOf(first, taskId)).toMatchObject({ structuredContent: { rows } })
    const cut = await resultOf(second, taskId)
    expect([cut.isError, cut.structuredContent]).toEqual([true, undefined])
    expect(cut.content[0]?.text).toMatch(NOTE)
  })

  it('is cut also where its function has written it down after its bridge', async () => {
    await using engine = await startMockEngine()
    const gateway = createGateway()
    await using second = await startBridge(engine, {
      options: { apiPath: '/second', maxResultBytes: 20_000 },
      limits: { awayMs: 0 },
    })
    let taskId = ''
    {
      await using first = await startBridge(engine, { options: { apiPath: '/first' } })
      registerMcpFunction(second.other, 'jobs::kept', () => gateway.passed, { mcp, request_format: schema })
      await second.other.ready()
      taskId = await begin(first, 'jobs__kept')
      await gateway.reached
    }
    gateway.pass({ rows })
    const { content } = await resultOf(second, taskId)
    expect(content[0]?.text).toMatch(NOTE)
    expect(content[1]?.text).toMatch(/^\{"rows":\[\{"id":0,/)
  })

  it('is kept as far as it is shown where it is too large to be kept whole', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    await offer(bridge, 'jobs::large', () => 'x'.repeat(5 * 1024 * 1024))
    const { content, isError } = await resultOf(bridge, await begin(bridge, 'jobs__large'))
    expect([isError, content.length]).toEqual([undefined, 2])
    expect(content[0]?.text).toMatch(/about 97 KiB of 5120 KiB follow\. Ask for less/)
    expect(content[1]?.text).toMatch(/^x{90000}/)
  })

  it('is a failure that says so where not even that can be kept', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine, { options: { maxResultBytes: 4_194_304 } })
    await offer(bridge, 'jobs::odd', () => '\u0001'.repeat(800_000))
    expect(await resultOf(bridge, await begin(bridge, 'jobs__odd'))).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/^Error: .*too large to be kept for a task/) }],
    })
  })

  it('is what its function returned while it is small', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    await offer(bridge, 'jobs::small', () => ({ content: [{ type: 'text', text: 'done' }], _meta: { a: 1 } }))
    const taskId = await begin(bridge, 'jobs__small')
    await over(bridge, taskId)
    expect(await get(bridge, taskId)).toMatchObject({ result: { content: [{ text: 'done' }], _meta: { a: 1 } } })
  })
})
