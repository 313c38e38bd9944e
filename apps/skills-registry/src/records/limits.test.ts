import { startMockEngine } from '@iii/mock-engine'
import { describe, expect, it } from 'vitest'
import { startRegistry, type TestRegistry } from '../testing/registry.ts'

const ids = (count: number) => Array.from({ length: count }, (_, n) => `iii://a${n}`)
const path = (bytes: number) =>
  `${'a'.repeat(63)}/`
    .repeat(16)
    .slice(0, bytes - 1)
    .concat('z')

const skill = (more: object) => ({ id: 'a', skill: 'x', ...more })
const prompt = (more: object) => ({ name: 'a', description: 'x', function_id: 'a::b', ...more })
/** What everything around a description of one character takes, as it is measured. */
const bare = '["a","x","a::b",[]]'.length
const largestDescription = 'é'.repeat((262_144 - bare + 1) / 2)

/** What a function takes, the same one step larger, and how that is refused. */
const LIMITS: readonly [what: string, functionId: string, at: object, past: object, refusal: RegExp][] = [
  [
    'a segment of an id',
    'skills::register',
    skill({ id: `x/${'a'.repeat(64)}` }),
    skill({ id: `x/${'a'.repeat(65)}` }),
    /segment too long \(65 chars; max 64\)/,
  ],
  [
    'an id',
    'skills::register',
    skill({ id: path(1024) }),
    skill({ id: path(1025) }),
    /id too long \(1025 chars; max 1024\)/,
  ],
  [
    'a body',
    'skills::register',
    skill({ skill: 'é'.repeat(131_072) }),
    skill({ skill: `${'é'.repeat(131_072)}x` }),
    /skill body too large \(262145 bytes; max 262144\)/,
  ],
  [
    'the name of a prompt',
    'prompts::register',
    prompt({ name: 'a'.repeat(64) }),
    prompt({ name: 'a'.repeat(65) }),
    /name too long \(65 chars; max 64\)/,
  ],
  [
    'the handler of a prompt',
    'prompts::register',
    prompt({ function_id: `a::${'b'.repeat(1021)}` }),
    prompt({ function_id: `a::${'b'.repeat(1022)}` }),
    /function_id too long \(1025 bytes; max 1024\)/,
  ],
  [
    'a prompt',
    'prompts::register',
    prompt({ description: largestDescription }),
    prompt({ description: `${largestDescription}x` }),
    /prompt too large \(262145 bytes; max 262144\)/,
  ],
  [
    'the arguments of a prompt, which it is measured with,',
    'prompts::register',
    prompt({ arguments: [{ name: 'b'.repeat(262_144 - bare - '["",null,false]'.length) }] }),
    prompt({ arguments: [{ name: 'b'.repeat(262_145 - bare - '["",null,false]'.length) }] }),
    /prompt too large \(262145 bytes; max 262144\)/,
  ],
]

describe('the limit of', () => {
  it.each(LIMITS)('%s holds, and one past it is refused', async (_, functionId, at, past, refusal) => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    expect(await registry.call(functionId, at)).toMatchObject({ registered_at: expect.any(String) })
    const fault = await registry.fault(functionId, past)
    expect(fault.message).toMatch(refusal)
    expect(fault.code).toBe('invalid_input')
  })

  it('an address holds, and one past it is refused', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    const address = (length: number) => `iii://fn/${'a'.repeat(length - 'iii://fn/'.length)}`
    for (const functionId of ['skills::resources-read', 'skill::fetch']) {
      expect((await registry.fault(functionId, { uri: address(1100) })).code).toBe('unavailable')
      expect(await registry.refusal(functionId, { uri: address(1101) })).toBe(
        'Resource URI is too long (1101 characters; max 1100) [invalid_input]',
      )
    }
  })

  it('the addresses of a fetch holds, and one past it is refused', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    await registerAll(registry, 33)
    const document = await registry.call<string>('skill::fetch', { uris: ids(32) })
    expect(document.match(/^# .*$/gm)).toEqual(ids(32).map((uri) => `# ${uri}`))
    expect(await registry.refusal('skill::fetch', { uris: ids(33) })).toBe(
      'Too many addresses: 33 (max 32); fetch the rest in another call [invalid_input]',
    )
  })

  it('the document of a fetch is 1 MiB, whole at the limit and not one byte later', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    await registerAll(registry, 4, (n) => `${n}`.repeat(262_144))
    const uris = ids(5)
    const whole = Buffer.byteLength(uris.map((uri) => `# ${uri}\n\n`).join('\n\n---\n\n'))
    // The fifth skill makes up what is left; the first is short by as much as the headings take.
    const fill = 1_048_576 - whole - 3 * 262_144
    const fetch = async (bytes: number) => {
      await registry.call('skills::register', { id: 'a0', skill: 'a'.repeat(bytes - 1000) })
      await registry.call('skills::register', { id: 'a4', skill: 'e'.repeat(1000) })
      return registry.call<string>('skill::fetch', { uris })
    }
    const full = await fetch(fill)
    expect(Buffer.byteLength(full)).toBe(1_048_576)
    expect(full).not.toContain('Left out')
    const cut = await fetch(fill + 1)
    expect(Buffer.byteLength(cut)).toBeLessThan(1_048_576)
    expect(cut).toMatch(/Left out, .*: iii:\/\/a\d/)
  })

  it.each(['skills::on-change', 'prompts::on-change'])(
    'the subscribers of %s holds, and one past it is refused',
    async (type) => {
      await using engine = await startMockEngine()
      await using registry = await startRegistry(engine.url)
      const refusals: string[] = []
      const bind = () =>
        registry.client.registerTrigger({
          type,
          function_id: 'test::on-change',
          onError: ({ message }) => refusals.push(message),
        })
      const bound = Array.from({ length: 256 }, bind)
      await registry.client.ready()
      bind()
      const full = `'${type}' has 256 subscribers already, which is the limit [overloaded]`
      await expect.poll(() => refusals, { timeout: 8000 }).toEqual([full])
      bound[0]?.unregister()
      bind()
      bind()
      await expect.poll(() => refusals, { timeout: 8000 }).toEqual([full, full])
    },
  )

  it('what lists show of a prompt are 100 arguments, names of 256 bytes and descriptions of 4096', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    const args = (count: number) => Array.from({ length: count }, (_, n) => ({ name: `a${n}` }))
    const shown = async (more: object) => {
      await registry.call('prompts::register', prompt(more))
      const { prompts } = await registry.call<{ prompts: [McpPrompt] }>('prompts::mcp-list')
      return prompts[0]
    }
    expect((await shown({ arguments: args(100) })).arguments).toHaveLength(100)
    expect((await shown({ arguments: args(101) })).arguments).toHaveLength(100)
    expect(await registry.call('prompts::list')).toMatchObject({ prompts: [{ arguments: 101 }] })
    const text = 'x'.repeat(4096)
    for (const [bytes, cut] of [
      [4096, text],
      [4097, `${text.slice(0, -3)}…`],
    ] as const) {
      const description = 'x'.repeat(bytes)
      const { arguments: listed, ...listing } = await shown({ description, arguments: [{ name: 'a', description }] })
      expect([listing.description, listed[0]?.description]).toEqual([cut, cut])
    }
    for (const [bytes, cut] of [
      [256, text.slice(0, 256)],
      [257, `${text.slice(0, 253)}…`],
    ] as const) {
      expect((await shown({ arguments: [{ name: 'x'.repeat(bytes) }] })).arguments[0]?.name).toBe(cut)
    }
  })
})

interface McpPrompt {
  description: string
  arguments: { name: string; description?: string }[]
}

async function registerAll(registry: TestRegistry, count: number, body: (n: number) => string = String) {
  for (let n = 0; n < count; n++) await registry.call('skills::register', { id: `a${n}`, skill: body(n) })
}
