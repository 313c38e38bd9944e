import { startMockEngine } from '@iii/mock-engine'
import { Fault } from '@iii/protocol'
import { describe, expect, it } from 'vitest'
import { startBridge, stateless } from '../testing/bridge.ts'
import { untilAnswer } from '../testing/until.ts'

describe('tools/call', () => {
  it('calls the function with the arguments, and says beside them who asks', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    const seen: unknown[] = []
    bridge.other.registerFunction('orders::get', (payload, metadata) => {
      seen.push(payload, metadata)
      return { id: 7 }
    })
    await bridge.other.ready()
    const { meta, headers } = stateless('tools/call', 'orders__get')
    const params = { _meta: meta, name: 'orders__get', arguments: { id: 'x', nested: { list: [1] } } }
    expect((await bridge.rpc('tools/call', params, headers)).message.result).toMatchObject({
      content: [{ type: 'text', text: '{"id":7}' }],
      structuredContent: { id: 7 },
      resultType: 'complete',
    })
    expect(seen).toEqual([
      { id: 'x', nested: { list: [1] } },
      {
        mcp: {
          call_id: expect.any(String),
          via: expect.stringMatching(/^mcp::/),
          client: { name: 'tester', version: '9' },
          client_capabilities: { sampling: {} },
        },
      },
    ])
  })

  it('means an empty object when there are no arguments', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    bridge.other.registerFunction('echo::back', (payload) => ({ payload }))
    await bridge.other.ready()
    for (const params of [{ name: 'echo__back' }, { name: 'echo__back', arguments: null }]) {
      expect((await bridge.result('tools/call', params))['structuredContent']).toEqual({ payload: {} })
    }
  })

  it('reaches a function that was registered a moment ago, listed or not', async () => {
    await using engine = await startMockEngine({ functionsPollMs: 50 })
    await using bridge = await startBridge(engine)
    await bridge.toolNames()
    bridge.other.registerFunction('late::comer', () => 'here')
    bridge.other.registerFunction('late.comer', () => 'here too')
    await bridge.other.ready()
    expect((await bridge.call('late__comer')).content).toEqual([{ type: 'text', text: 'here' }])
    expect(await bridge.toolNames()).toContain('late__comer')
    const hashed = await untilAnswer(bridge.toolNames, (names) =>
      names.some((name) => name.startsWith('late_comer___')),
    )
    const name = hashed.find((candidate) => candidate.startsWith('late_comer___')) ?? ''
    expect((await bridge.call(name)).content[0]?.text).toBe('here too')
  })

  it('no longer knows a function from the moment that a call finds it gone', async () => {
    // No event tells of it within this test.
    await using engine = await startMockEngine({ functionsPollMs: 600_000 })
    await using bridge = await startBridge(engine)
    const fickle = bridge.other.registerFunction('orders::fickle', () => 'here')
    await bridge.other.ready()
    expect((await bridge.call('orders__fickle')).content[0]?.text).toBe('here')
    expect(await bridge.toolNames()).toEqual(['orders__fickle'])
    fickle.unregister()
    await bridge.other.ready()
    const { message } = await bridge.rpc('tools/call', { name: 'orders__fickle' })
    expect(message.error).toEqual({ code: -32602, message: expect.stringMatching(/^Unknown tool: orders__fickle\. /) })
    expect(await bridge.toolNames()).toEqual([])
  })

  it('gives strings as text, results as they are, other values as JSON', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    const image = { content: [{ type: 'image', data: 'aGk=', mimeType: 'image/png' }] }
    bridge.other.registerFunction('give::text', () => 'plain "text"')
    bridge.other.registerFunction('give::image', () => image)
    bridge.other.registerFunction('give::list', () => [1, 2])
    bridge.other.registerFunction('give::data', () => [1], { response_format: { type: 'object' } })
    await bridge.other.ready()
    expect(await bridge.call('give__text')).toEqual({ content: [{ type: 'text', text: 'plain "text"' }] })
    expect(await bridge.call('give__image')).toEqual(image)
    expect(await bridge.call('give__list')).toEqual({ content: [{ type: 'text', text: '[1,2]' }] })
    expect((await bridge.call('give__data')).structuredContent).toEqual({ result: [1] })
  })

  it('turns a failure into a result that the model can read, without stack or path', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    bridge.other.registerFunction('fail::plain', () => {
      throw new Error("ENOENT: open '/home/me/orders.json'\n    at open (/srv/app/x.ts:1:2)")
    })
    bridge.other.registerFunction('fail::fault', () => {
      throw new Fault('not_found', 'no such order')
    })
    await bridge.other.ready()
    expect(await bridge.call('fail__plain')).toEqual({
      content: [{ type: 'text', text: "Error: ENOENT: open '<path>'" }],
      isError: true,
    })
    expect(await bridge.call('fail__fault')).toEqual({
      content: [{ type: 'text', text: 'Error: no such order' }],
      isError: true,
    })
  })

  it('says that the outcome is unknown when the worker goes away during the call', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    let begun: () => void = () => undefined
    const running = new Promise<void>((resolve) => {
      begun = resolve
    })
    bridge.other.registerFunction('orders::slow', () => {
      begun()
      return new Promise(() => undefined)
    })
    await bridge.other.ready()
    const call = bridge.call('orders__slow')
    await running
    await bridge.other.shutdown()
    expect(await call).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/outcome is unknown/) }],
    })
  })

  it('says that the outcome is unknown past the deadline, and calls once', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine, { limits: { replyMs: 500 } })
    let calls = 0
    let finish: (value: string) => void = () => undefined
    bridge.other.registerFunction('orders::slow', () => {
      calls += 1
      return new Promise((resolve) => {
        finish = resolve
      })
    })
    await bridge.other.ready()
    const reply = await bridge.rpc('tools/call', { name: 'orders__slow' }, { accept: 'application/json' })
    expect([reply.status, reply.message.result]).toEqual([
      200,
      {
        isError: true,
        content: [
          {
            type: 'text',
            text: 'Error: orders::slow did not answer within 0.5 s. The outcome is unknown: it may still finish. It was not called again. (0.5 s is the most that a plain reply may take; a client that accepts a stream can wait longer.)',
          },
        ],
      },
    ])
    expect(calls).toBe(1)
    finish('late')
  })

  it('refuses a result that no message can carry, in words', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine, { limits: { replyBytes: 64 * 1024 } })
    bridge.other.registerFunction('give::much', ({ size }: { size: number }) => '"'.repeat(size))
    await bridge.other.ready()
    expect((await bridge.call('give__much', { size: 10_000 })).isError).toBeUndefined()
    expect(await bridge.call('give__much', { size: 60_000 })).toMatchObject({
      isError: true,
      content: [
        {
          text: expect.stringMatching(/too large to be sent \(about 0\.2 MiB with its escapes; at most 0\.0625 MiB\)/),
        },
      ],
    })
  })

  it.each([
    [undefined, /needs a non-empty string 'name'/],
    [{ name: 7 }, /needs a non-empty string 'name'/],
    [{ name: '' }, /needs a non-empty string 'name'/],
    [{ name: 'x', arguments: [] }, /'arguments' must be an object/],
    [{ name: 'x', arguments: 'y' }, /'arguments' must be an object/],
    [{ name: 'x', arguments: { id: 2 ** 53 } }, /\$\.id.*send it as a string/],
    [
      { name: 'x', arguments: { list: new Array(20_001).fill(0) } },
      /'arguments' is too large \(more than 20000 values\)/,
    ],
    [{ name: 'x', arguments: JSON.parse(`${'{"a":'.repeat(70)}1${'}'.repeat(70)}`) }, /nested too deeply/],
  ])('refuses params that are wrong: %#', async (params, text) => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    const { status, message } = await bridge.rpc('tools/call', params)
    expect([status, message.error?.code, message.error?.message]).toEqual([200, -32602, expect.stringMatching(text)])
  })

  it.each(['nope', 'orders__nope', 'a b', 'x___12345678', 'constructor', 'x'.repeat(300)])(
    'does not know the tool %s',
    async (name) => {
      await using engine = await startMockEngine()
      await using bridge = await startBridge(engine)
      const { message } = await bridge.rpc('tools/call', { name })
      expect(message.error).toEqual({
        code: -32602,
        message: `Unknown tool: ${name.slice(0, 128)}. tools/list has all of them`,
      })
    },
  )
})
