import { startMockEngine } from '@iii/mock-engine'
import { describe, expect, it } from 'vitest'
import { startRegistry, type TestRegistry } from '../testing/registry.ts'
import { serveStore } from '../testing/store.ts'

const fetch = (registry: TestRegistry, payload: unknown, functionId = 'skill::fetch') =>
  registry.call<string>(functionId, payload)

async function register(registry: TestRegistry, skills: Record<string, string>) {
  for (const [id, skill] of Object.entries(skills)) await registry.call('skills::register', { id, skill })
}

describe.each(['skill::fetch', 'skills::fetch_skill'])('%s', (functionId) => {
  it('puts each text under its address, in the order asked', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    await register(registry, { a: '# A\n\n', 'a/b': 'B', 'a/b/c': 'C' })
    expect(await fetch(registry, { uri: 'iii://a' }, functionId)).toBe('# iii://a\n\n# A')
    const uris = ['iii://a/b/c', 'iii://a', 'iii://a/b', 'iii://a']
    expect(await fetch(registry, { uris }, functionId)).toBe(
      '# iii://a/b/c\n\nC\n\n---\n\n# iii://a\n\n# A\n\n---\n\n# iii://a/b\n\nB',
    )
  })

  it.each([
    ['https://x', '\n\nuri was not read (https://x): uris counts where both are given'],
    ['iii://fn', '\n\nuri was not read (iii://fn): uris counts where both are given'],
    ['iii://a', ''],
    [' ', ''],
    [5, ''],
    [{}, ''],
  ])('does not look at uri, which is %j, where uris are given, and says so', async (uri, note) => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    await register(registry, { a: 'A' })
    expect(await fetch(registry, { uri, uris: ['iii://a'] }, functionId)).toBe(`# iii://a\n\nA${note}`)
  })

  it.each([
    [{}, 'Provide uri or a non-empty uris array'],
    [{ uri: 5 }, 'Provide uri or a non-empty uris array'],
    [{ uri: 'x'.repeat(9000) }, `Invalid URI (must start with iii:// or skill://): ${'x'.repeat(1097)}…`],
    [{ uri: 'https://a' }, 'Invalid URI (must start with iii:// or skill://): https://a'],
    [{ uris: ['iii://a', 'ftp://b'] }, 'Invalid URI (must start with iii:// or skill://): ftp://b'],
    [{ uris: ['iii://a', 'iii://fn'] }, /^Section URI 'iii:\/\/fn' is missing a function path/],
    [{ uris: ['iii://a', 'iii://x/y::z'] }, /iii:\/\/fn\/y\/z/],
    [{ uris: 'iii://a' }, /uris/],
    [
      { uri: 'iii://c', uris: ['ftp://a', 'iii://a', 'ftp://b'] },
      'Nothing was read. Invalid URI (must start with iii:// or skill://): ftp://a; Invalid URI (must start with iii:// or skill://): ftp://b; uri was not read (iii://c): uris counts where both are given',
    ],
  ])('refuses %j as a whole, before anything is read', async (payload, message) => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    // Its start reads the store, too.
    await Promise.all(['skills::list', 'prompts::list'].map((id) => registry.call(id)))
    const store = await serveStore(registry.client)
    const fault = await registry.fault(functionId, payload)
    expect(fault.code).toBe('invalid_input')
    if (typeof message === 'string') expect(fault.message).toBe(message)
    else expect(fault.message).toMatch(message)
    expect(store.calls).toEqual([])
  })
})

describe('a fetch', () => {
  it('reads each address once, the index and sections among them', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    const store = await serveStore(registry.client)
    let called = 0
    registry.client.registerFunction('orders::report', () => {
      called += 1
      return { total: 1 }
    })
    await registry.client.ready()
    await registry.call('skills::register', { id: 'a', skill: '# A' })
    store.calls.length = 0
    const uris = ['iii://fn/orders/report', 'iii://a', 'iii://skills', 'iii://a', 'iii://fn/orders/report']
    const document = await fetch(registry, { uris })
    expect(document.split('\n\n---\n\n')).toEqual([
      '# iii://fn/orders/report\n\n{\n  "total": 1\n}',
      '# iii://a\n\n# A',
      expect.stringMatching(/^# iii:\/\/skills\n\n# Skills\n[\s\S]*- \[A\]\(iii:\/\/a\)$/),
    ])
    expect(called).toBe(1)
    expect(store.calls).toEqual(['get skills/a'])
  })

  it('gives what cannot be read a section with the reason', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    await register(registry, { a: 'A' })
    registry.client.registerFunction('orders::ask', () => ({ result_type: 'input_required', input_requests: {} }))
    registry.client.registerFunction('orders::chart', () => ({ blob: 'AAAA', mimeType: 'image/png' }))
    await registry.client.ready()
    const uris = [
      'iii://none',
      'iii://a',
      'iii://fn/state/get',
      'iii://context',
      'iii://fn/orders/ask',
      'iii://fn/orders/chart',
    ]
    expect((await fetch(registry, { uris })).split('\n\n---\n\n')).toEqual([
      '# iii://none\n\nCould not be read: Skill not found: none. iii://skills has all of them',
      '# iii://a\n\nA',
      "# iii://fn/state/get\n\nCould not be read: Function 'state::get' is in an internal namespace and cannot back a skill resource",
      expect.stringMatching(/^# iii:\/\/context\n\nCould not be read: .* is read with resources\/read$/),
      expect.stringMatching(/^# iii:\/\/fn\/orders\/ask\n\nCould not be read: .*resources\/read$/),
      '# iii://fn/orders/chart\n\n(image/png content: read it with resources/read)',
    ])
  })

  it('fails when nothing could be read: with the reason, or with each', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    expect(await registry.refusal('skill::fetch', { uri: 'iii://none' })).toBe(
      'Skill not found: none. iii://skills has all of them [not_found]',
    )
    expect(await registry.refusal('skill::fetch', { uris: ['iii://x', 'iii://y'] })).toBe(
      'Nothing could be read. iii://x: Skill not found: x. iii://skills has all of them; iii://y: Skill not found: y. iii://skills has all of them [not_found]',
    )
    expect(await registry.refusal('skill::fetch', { uris: ['iii://x', 'iii://fn/state/get'] })).toMatch(/\[internal\]$/)
    expect(await registry.refusal('skill::fetch', { uri: 'iii://y', uris: ['iii://x'] })).toBe(
      'Skill not found: x. iii://skills has all of them; uri was not read (iii://y): uris counts where both are given [not_found]',
    )
  })

  it('reads skills all at once, and calls four functions at a time', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    const store = await serveStore(registry.client)
    const names = Array.from({ length: 10 }, (_, n) => `a${n}`)
    for (const id of names) store.rows.set(`skills/${id}`, { id, skill: id, registered_at: '2026-05-05T00:00:00Z' })
    let running = 0
    let most = 0
    for (const name of names) {
      registry.client.registerFunction(`orders::${name}`, async () => {
        running += 1
        most = Math.max(most, running)
        await new Promise((resolve) => setImmediate(resolve))
        running -= 1
        return name
      })
    }
    // No read of a skill is answered before all of them were asked for.
    let open: () => void = () => undefined
    const allAsked = new Promise<void>((resolve) => {
      open = resolve
    })
    let asked = 0
    store.before = () => {
      asked += 1
      if (asked === names.length) open()
      return allAsked
    }
    await registry.client.ready()
    const uris = names.flatMap((name) => [`iii://${name}`, `iii://fn/orders/${name}`])
    const document = await fetch(registry, { uris })
    expect(document.match(/^# .*$/gm)).toEqual(uris.map((uri) => `# ${uri}`))
    expect(most).toBeGreaterThan(1)
    expect(most).toBeLessThanOrEqual(4)
  })

  it('never answers more than 1 MiB and names what it left out', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    const ids = ['a', 'b', 'c', 'd', 'e']
    await register(registry, Object.fromEntries(ids.map((id) => [id, id.repeat(262_144)])))
    const document = await fetch(registry, { uris: ids.map((id) => `iii://${id}`) })
    expect(Buffer.byteLength(document)).toBeLessThanOrEqual(1_048_576)
    expect(document.match(/^# .*$/gm)).toEqual(['# iii://a', '# iii://b', '# iii://c'])
    expect(document).toMatch(/Left out, .*: iii:\/\/d, iii:\/\/e$/)
  })

  it('lists what lies under a skill:// address that is no file: skills, and all files of one', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    expect(await fetch(registry, { uri: 'skill://' })).toBe('# skill://\n\n_No skills are registered yet._')
    const files = [
      { path: 'scripts/check it.py', text: 'print(1)' },
      { path: 'logo.png', base64: 'AAAA' },
    ]
    const skill = '---\nname: orders\ndescription: Create orders.\n---\n'
    await registry.call('skills::register', { id: 'team/orders', skill, files })
    await register(registry, { billing: '# Billing\n\nSend [bills](iii://x).' })
    const rows = async (uri: string, metadata?: unknown) =>
      (await registry.call<string>('skill::fetch', { uri }, metadata)).split('\n').slice(2)
    const orders = '- skill://team/orders/SKILL.md — Create orders.'
    const billing = '- skill://billing/SKILL.md — Send bills.'
    expect(await rows('skill://')).toEqual([billing, orders])
    expect(await rows('skill://team')).toEqual([orders])
    const script = '- skill://team/orders/scripts/check%20it.py (text/x-python, 8 bytes)'
    const logo = '- skill://team/orders/logo.png (image/png, 3 bytes)'
    expect(await rows('skill://team/orders')).toEqual([orders, logo, script])
    expect(await rows('skill://team/orders/scripts')).toEqual([script])
    expect(await rows('skill://team/orders/scripts/check%20it.py')).toEqual(['print(1)'])
    // Elsewhere a directory is no file, as ever.
    expect(await registry.fault('skills::resources-read', { uri: 'skill://team' })).toMatchObject({ code: 'not_found' })
    expect(await registry.fault('skill::fetch', { uri: 'skill://tea' })).toMatchObject({ code: 'not_found' })
    const asker = { mcp: { call_id: 'c1', via: 'mcp::b1', skills: ['billing'] } }
    expect(await rows('skill://', asker)).toEqual([billing])
    const hidden = (uri: string) => registry.fault('skill::fetch', { uri }, asker)
    expect((await hidden('skill://team')).message).toBe((await hidden('skill://tean')).message.replace('tean', 'team'))
  })

  it('counts the skills that a list has no room for', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    const word = 'a'.repeat(60)
    const path = Array.from({ length: 14 }, () => word).join('/')
    await Promise.all(
      Array.from({ length: 300 }, (_, n) => registry.call('skills::register', { id: `${path}/s${n}`, skill: 'A' })),
    )
    const list = await fetch(registry, { uri: 'skill://' })
    expect(Buffer.byteLength(list)).toBeLessThanOrEqual(262_144 + 20)
    const shown = list.match(/^- /gm)?.length ?? 0
    expect(shown).toBeGreaterThan(250)
    expect(list).toContain(`_${300 - shown} more do not fit here: fetch skill://ID for those under an ID._`)
  })

  it('hands the sidecar on to sections, without answers to questions that another function asked', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    const seen: unknown[] = []
    registry.client.registerFunction('a::b', (_, metadata) => {
      seen.push(metadata)
      return 'x'
    })
    await registry.client.ready()
    const mcp = { call_id: 'c1', via: 'mcp::b1', input_responses: { q: 1 }, request_state: 's' }
    await registry.call('skill::fetch', { uri: 'iii://fn/a/b' }, { mcp })
    expect(seen).toEqual([{ mcp: { call_id: 'c1', via: 'mcp::b1', uri: 'iii://fn/a/b' } }])
  })
})
