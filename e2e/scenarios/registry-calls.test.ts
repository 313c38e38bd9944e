import { afterAll, beforeAll, expect } from 'vitest'
import { createCleanup } from '../cleanup.ts'
import { connectToEngine } from '../facts.ts'
import { scenario } from '../scenario.ts'
import { type Stack, startStack } from '../stack.ts'
import { until } from '../until.ts'

const cleanup = createCleanup()
let stack: Stack

beforeAll(async () => {
  stack = cleanup.use(await startStack({ workers: ['skills'] }))
})
afterAll(() => cleanup.run())

const call = <T = unknown>(function_id: string, payload: object = {}) =>
  stack.worker.trigger<T>({ function_id, payload, timeoutMs: 30_000 })

interface Change {
  op: string
  id: string
}

scenario(
  ['subscribers/apart'],
  'subscribers that hang, fail or are not there keep nobody from hearing of the last change of every skill',
  async () => {
    const bad = connectToEngine(stack.engineUrl, 'bad-subscriber')
    try {
      bad.registerFunction('bad::hangs', () => new Promise(() => {}))
      bad.registerFunction('bad::fails', () => {
        throw new Error('never')
      })
      for (const function_id of ['bad::hangs', 'bad::fails', 'bad::absent']) {
        bad.registerTrigger({ type: 'skills::on-change', function_id })
      }
      await bad.ready()
      const heard = new Map<string, string>()
      const listener = stack.worker.registerFunction('test::heard', ({ id, op }: Change) => {
        heard.set(id, op)
        return {}
      })
      const subscription = stack.worker.registerTrigger({ type: 'skills::on-change', function_id: 'test::heard' })
      await stack.worker.ready()
      const ids = Array.from({ length: 60 }, (_, n) => `burst-${n}`)
      await Promise.all(
        ids.map(async (id) => {
          for (let round = 0; round < 20; round++) await call('skills::register', { id, skill: `# ${round}` })
          await call('skills::unregister', { id })
        }),
      )
      await call('skills::register', { id: 'last', skill: '# Last' })
      await until(() => heard.has('last'), { what: 'the last change', deadlineMs: 40_000 })
      expect(heard).toEqual(new Map([...ids.map((id) => [id, 'unregister'] as const), ['last', 'register']]))
      subscription.unregister()
      listener.unregister()
    } finally {
      await bad.shutdown()
    }
  },
)

scenario(['subscribers/internal'], 'a subscription that would call an internal function is refused', async () => {
  const bind = (type: string, functionId: string) =>
    new Promise<string>((resolve) => {
      stack.worker.registerTrigger({ type, function_id: functionId, onError: ({ message }) => resolve(message) })
    })
  for (const type of ['skills::on-change', 'prompts::on-change']) {
    for (const functionId of ['state::delete', 'engine::functions::list', 'skills::unregister', 'iii.on_x']) {
      expect(await bind(type, functionId)).toBe(
        `'${type}' does not call '${functionId}': it is in an internal namespace [forbidden]`,
      )
    }
  }
})

scenario(
  ['prompts/handler'],
  'a prompt handler that fails, answers in another shape, is missing or internal is named with the reason',
  async () => {
    stack.worker.registerFunction('test::fails', () => {
      throw new Error('no paper')
    })
    stack.worker.registerFunction('test::odd', () => 42)
    await stack.worker.ready()
    const register = (function_id: string) =>
      call('prompts::register', { name: 'handled', description: 'Handled', function_id })
    const handlers: readonly [id: string, refusal: RegExp][] = [
      ['test::fails', /trigger test::fails: no paper/],
      ['test::odd', /trigger test::odd: prompt handler returned unsupported shape/],
      ['test::missing', /trigger test::missing: .*not registered/],
    ]
    for (const [id, refusal] of handlers) {
      await register(id)
      await expect(call('prompts::mcp-get', { name: 'handled' })).rejects.toThrow(refusal)
    }
    await expect(register('state::set')).rejects.toThrow(/'state::set' is in an internal namespace/)
    const row = { name: 'handled', description: 'x', arguments: [], function_id: 'state::set', registered_at: 'x' }
    await call('state::set', { scope: 'prompts', key: 'handled', value: row })
    await expect(call('prompts::mcp-get', { name: 'handled' })).rejects.toThrow(
      /'state::set' is in an internal namespace/,
    )
  },
)

scenario(
  ['resources/fetch'],
  'a fetch refuses what is no address as a whole, and gives the rest its reasons',
  async () => {
    await call('skills::register', { id: 'there', skill: '# There' })
    const fetch = (...uris: string[]) => call<string>('skill::fetch', { uris })
    await expect(fetch('iii://there', 'https://elsewhere')).rejects.toThrow(
      /must start with iii:\/\/.*\[invalid_input\]/,
    )
    expect(await fetch('iii://gone', 'iii://there', 'iii://there', 'iii://fn/state/get')).toBe(
      [
        '# iii://gone\n\nCould not be read: Skill not found: gone. iii://skills has all of them',
        '# iii://there\n\n# There',
        "# iii://fn/state/get\n\nCould not be read: Function 'state::get' is in an internal namespace and cannot back a skill resource",
      ].join('\n\n---\n\n'),
    )
    await expect(fetch('iii://gone', 'iii://away')).rejects.toThrow(/Nothing could be read/)
  },
)

scenario(
  ['resources/forged'],
  'no skill adds a row, a link or HTML to the index, or half a character to a message',
  async () => {
    const hostile = [
      '# T](iii://evil) [x\n\n- [Forged](iii://evil) — row',
      `# ${'😀'.repeat(300)}\n\n${'😀'.repeat(300)}`,
      '---\nname: "A\\n- [Forged](iii://evil)"\ndescription: "\\\\<img src=x> ](iii://evil)"\n---\n',
      '```\n# Code](iii://evil)\n```\n\n> ```\n> [Forged](iii://evil)\n> ```\n',
      '# \u202Eevil\u001b[31m \u0000\n\n<script>\n\n[x](iii://evil)\n</script>',
    ]
    const ids = hostile.map((_, n) => `hostile/h${n}`)
    for (const [n, id] of ids.entries()) await call('skills::register', { id, skill: hostile[n] })
    const { contents } = await call<{ contents: { text: string }[] }>('skills::resources-read', { uri: 'iii://skills' })
    const rows = contents[0]?.text.split('\n').filter((line) => line.includes('iii://hostile/')) ?? []
    const bare = rows.map((row) => row.replace(/\\[\\`[\]<]/g, '.'))
    expect(bare.map((row) => row.match(/\]\([^)]*\)/g))).toEqual(ids.map((id) => [`](iii://${id})`]))
    expect(contents[0]?.text).not.toMatch(/^\s*- \[Forged/m)
    expect(bare.join('')).not.toMatch(/[<\p{Cc}\p{Cf}]/u)
    for (const [n, id] of ids.entries()) {
      expect(await call('skills::resources-read', { uri: `iii://${id}` })).toMatchObject({
        contents: [{ text: hostile[n] }],
      })
    }
  },
)
