import { describe, expect, it } from 'vitest'
import { createDeferred } from '../session/deferred.ts'
import { settle } from '../testing/manual-clock.ts'
import { behave } from '../testing/memory-process.ts'
import { allow, startServer, tool } from '../testing/server-stage.ts'

describe('the tools of a server', () => {
  it('are listed again a moment after it says that they changed, and only what is another one is touched', async () => {
    await using stage = await startServer()
    stage.tools = [tool('a'), tool('b'), tool('c')]
    await allow(stage)
    stage.changes.length = 0
    stage.tools = [tool('a'), tool('b', { description: 'new' }), tool('d')]
    stage.last().say({ method: 'notifications/tools/list_changed' })
    await settle()
    await stage.clock.advance(199)
    expect(stage.changes).toEqual([])
    await stage.clock.advance(1)
    expect(stage.changes).toEqual(['-demo::c', '~demo::b', '+demo::d'])
  })

  it('are no baseline of what is approved before there was a list', async () => {
    const answers = [{ error: { code: -32603, message: 'not yet' } }, { result: { tools: [tool('a')] } }]
    await using stage = await startServer({
      answer(message, process) {
        if (message.method === 'tools/list') process.say({ id: message.id, ...answers.shift() })
        else behave(message, process)
      },
    })
    await allow(stage)
    expect([stage.server.status().state, stage.judged]).toEqual(['ready', []])
    await stage.clock.advance(31_000)
    expect(stage.judged).toEqual([['a']])
  })

  it('are there when the newest judgement of their first list is', async () => {
    await using stage = await startServer()
    const [first, second] = [createDeferred(), createDeferred()]
    stage.held = first.promise
    await allow(stage)
    stage.held = second.promise
    stage.server.judge()
    first.resolve()
    await settle()
    expect([stage.server.status().state, stage.judged, stage.ids()]).toEqual(['connecting', [['echo'], ['echo']], []])
    second.resolve()
    await settle()
    expect([stage.server.status().state, stage.ids()]).toEqual(['ready', ['demo::echo']])
  })

  it('that are taken back while their first list is judged keep nobody waiting', async () => {
    await using stage = await startServer()
    const held = createDeferred()
    stage.held = held.promise
    await allow(stage)
    stage.server.setConflict("worker 'shop'")
    held.resolve()
    await settle()
    expect([stage.server.status().state, stage.ids()]).toEqual(['conflict', []])
  })

  it.each([[''], [null], [5]])('are all there where it says that the next page is %j', async (nextCursor) => {
    await using stage = await startServer({
      answer(message, process) {
        if (message.method === 'tools/list') process.say({ id: message.id, result: { tools: [tool('a')], nextCursor } })
        else behave(message, process)
      },
    })
    await allow(stage)
    expect(stage.changes).toEqual(['+demo::a'])
  })

  it('are complained of in the same words each time their list does not come', async () => {
    await using stage = await startServer({
      answer(message, process) {
        if (message.method !== 'tools/list') behave(message, process)
      },
    })
    await allow(stage)
    await stage.clock.advance(15_000)
    expect(stage.server.status().diagnostics).toEqual([
      {
        code: 'list_failed',
        message: 'It did not answer `tools/list` to the end of the list within 15 s (timeouts.list_ms)',
      },
    ])
  })

  it('are nothing to complain of any more when their server is not to run', async () => {
    await using stage = await startServer()
    stage.tools = [tool('a'), { name: 'no schema' }]
    await allow(stage)
    expect(stage.server.status().diagnostics).toMatchObject([{ code: 'tool_left_out' }])
    stage.server.allow(false)
    await settle()
    expect(stage.server.status()).toMatchObject({ state: 'stopped', diagnostics: [] })
  })

  it('are looked at every five minutes where it says nothing', async () => {
    await using stage = await startServer()
    await allow(stage)
    stage.tools = []
    await stage.clock.advance(5 * 60_000)
    expect(stage.ids()).toEqual([])
  })

  it('are listed once a minute when they change all the time, until that ends', async () => {
    await using stage = await startServer()
    await allow(stage)
    const lists = () => stage.last().heard.filter(({ method }) => method === 'tools/list').length
    for (let at = 0; at < 120_000; at += 250) {
      stage.last().say({ method: 'notifications/tools/list_changed' })
      await stage.clock.advance(250)
    }
    expect(lists()).toBeLessThan(24)
    expect(stage.server.status()).toMatchObject({ state: 'churning', diagnostics: [{ code: 'list_churn' }] })
    await stage.clock.advance(180_000)
    expect(stage.server.status()).toMatchObject({ state: 'ready', diagnostics: [] })
  })

  it('stay as they were when a list cannot be used', async () => {
    let next: object = {}
    await using stage = await startServer({
      config: { limits: { messageBytes: 100_000, resultBytes: 1_024, tools: 3 } },
      answer({ method, id }, process) {
        if (method === 'initialize') {
          const serverInfo = { name: 'a', version: '1' }
          process.say({ id, result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo } })
        }
        if (method === 'tools/list') process.say({ id, ...next })
      },
    })
    next = { result: { tools: [tool('a')] } }
    await allow(stage)
    const lists: [object, string][] = [
      [{ result: { tools: [], nextCursor: 'again' } }, 'list_failed'],
      [{ error: { code: -32603, message: 'no' } }, 'list_failed'],
      [{ result: { tools: 7 } }, 'list_failed'],
      [{ result: { tools: [1, 2, 3, 4].map((nth) => tool(`t${nth}`)) } }, 'too_many_tools'],
    ]
    for (const [answer, code] of lists) {
      next = answer
      stage.server.refresh()
      await stage.clock.advance(1_100)
      expect(stage.server.status()).toMatchObject({ state: 'ready', diagnostics: [{ code }] })
      expect(stage.ids()).toEqual(['demo::a'])
      expect(stage.warned.at(-1)).toBe(code)
    }
    next = { result: { tools: [tool('b')] } }
    await stage.clock.advance(31_000)
    expect(stage.server.status().diagnostics).toEqual([])
    expect(stage.ids()).toEqual(['demo::b'])
  })
})
