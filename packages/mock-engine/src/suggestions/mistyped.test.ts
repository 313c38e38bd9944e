import { describe, expect, it } from 'vitest'
import { callAsClient } from '../client/call-as-client.ts'
import { startMockEngine } from '../engine.ts'

type Loose = (...words: unknown[]) => Promise<unknown>

describe('what would be passed over without a word is refused with what would be right', () => {
  it.each([
    [{ engineVersion: '0.23' }, "startMockEngine has no option 'engineVersion'; did you mean 'engine'?"],
    [{ data: '/tmp/x' }, "startMockEngine has no option 'data'; did you mean 'dataDir'?"],
    [{ httpport: 0 }, "startMockEngine has no option 'httpport'; did you mean 'httpPort'?"],
    [{ engine: 0.23 }, "startMockEngine takes '0.22' or '0.23' as engine, not 0.23"],
    [{ engine: '0.24' }, "startMockEngine takes '0.22' or '0.23' as engine, not '0.24'"],
    [{ faults: { fault: 'lose-result' } }, 'startMockEngine takes faults as a list of rules'],
    [
      { cors: { allowed_origins: ['https://a'] } },
      "cors of startMockEngine has no option 'allowed_origins'; did you mean 'allowedOrigins'?",
    ],
    ['0.23', "startMockEngine takes its options as an object, not as '0.23'"],
    [null, 'startMockEngine takes its options as an object, not as null'],
  ])('startMockEngine(%j)', async (options, what) => {
    await expect((startMockEngine as Loose)(options)).rejects.toThrow(what)
  })

  it('what is undefined counts as not said', async () => {
    const unsaid = { port: undefined, faults: undefined, middleware: undefined, env: undefined, log: undefined }
    await using engine = await startMockEngine({ ...unsaid, engine: '0.23', httpTimeoutMs: undefined })
    expect(engine.port).toBeGreaterThan(0)
    const rule = engine.inject({ fault: 'fail-call', function: 'state::*', times: undefined, message: undefined })
    expect((await fetch(`${engine.httpUrl}/nothing-here`)).status).toBe(404)
    await expect(engine.call('state::list_groups')).rejects.toThrow('was made to fail')
    rule()
    await engine.restart({ state: undefined, downMs: undefined })
  })

  it('by what an engine has', async () => {
    await using engine = await startMockEngine()
    const { call, onFault, onFrame, restart } = engine as unknown as Record<string, Loose>
    await expect(restart?.({ keepState: true })).rejects.toThrow(
      "restart has no option 'keepState'; did you mean 'state'?",
    )
    await expect(restart?.({ state: 'drop' })).rejects.toThrow("restart takes 'keep' or 'lose' as state, not 'drop'")
    await expect(call?.({ function_id: 'a::b' })).rejects.toThrow("such as 'orders::create', not an object")
    await expect(call?.('a::b', Promise.resolve(1))).rejects.toThrow('the payload is a Promise: await it')
    await expect(call?.('a::b', { n: 1n })).rejects.toMatchObject({ code: 'serialization_error' })
    expect(() => onFrame?.()).toThrow('onFrame takes a function that is called with each, not undefined')
    expect(() => onFault?.('x')).toThrow("onFault takes a function that is called with each, not 'x'")
  })

  it.each([
    [[{ timeout: 5 }], "callAsClient has no option 'timeout'; did you mean 'timeoutMs'?"],
    [[{ answer: {} }], "callAsClient has no option 'answer'; did you mean 'answers'?"],
    [
      [{ answers: 'yes' }],
      "callAsClient takes answers as an object, by their questions, or as a function, not as 'yes'",
    ],
    [[{ signal: new AbortController() }], 'callAsClient takes the signal of a controller: controller.signal'],
    [[{ onProgress: [] }], 'onProgress of callAsClient takes a function that is called with each, not a list'],
  ])('callAsClient(engine, id, {}, %j)', async ([options], what) => {
    const asked = (callAsClient as Loose)({ url: 'ws://127.0.0.1:1' }, 'a::b', {}, options)
    await expect(asked).rejects.toThrow(what)
  })

  it.each([
    [['ws://127.0.0.1:1', 'a::b'], "not 'ws://127.0.0.1:1' as engine"],
    [['a::b', { url: 'ws://127.0.0.1:1' }], "not 'a::b' as engine"],
    [[{ url: 'ws://127.0.0.1:1' }], 'not undefined as function'],
  ])('callAsClient(%j)', async (words, what) => {
    await expect((callAsClient as Loose)(...words)).rejects.toThrow(what)
  })
})
