import { startMockEngine } from '@iii/mock-engine'
import { Fault, readMcpSidecar } from '@iii/protocol'
import { registerWorker } from '@iii/sdk'
import { describe, expect, it, vi } from 'vitest'
import { startBridge, stateless } from '../testing/bridge.ts'
import { startSkillsWorker } from '../testing/skills-worker.ts'
import { untilAnswer } from '../testing/until.ts'

describe('resources', () => {
  it('are those of the registry', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine, { options: { noBuiltins: true } })
    await using _ = await startSkillsWorker(engine.url)
    expect(await bridge.result('resources/list')).toEqual({
      resources: [
        { uri: 'iii://skills', name: 'skills', mimeType: 'text/markdown' },
        { uri: 'iii://orders', name: 'orders', mimeType: 'text/markdown' },
      ],
    })
    expect(await bridge.result('resources/templates/list')).toEqual({
      resourceTemplates: [{ uriTemplate: 'iii://{skill_id}', name: 'Skill' }],
    })
  })

  it('are read: the index, a skill, a live section', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    await using skills = await startSkillsWorker(engine.url)
    bridge.other.registerFunction('orders::report', () => ({ open: 12 }))
    await bridge.other.ready()
    const read = (uri: string) => bridge.result('resources/read', { uri })
    expect(await read('iii://skills')).toEqual({
      contents: [{ uri: 'iii://skills', mimeType: 'text/markdown', text: '# Skills\n\norders' }],
    })
    expect(await read('iii://orders')).toMatchObject({ contents: [{ text: expect.stringMatching(/^# Orders/) }] })
    expect(await read('iii://fn/orders/report')).toEqual({
      contents: [{ uri: 'iii://fn/orders/report', mimeType: 'application/json', text: '{\n  "open": 12\n}' }],
    })
    expect(skills.sidecars[2]).toMatchObject({ mcp: { client_capabilities: {} } })
  })

  it('call no function that says that it changes something, and say which tool does', async () => {
    await using engine = await startMockEngine({ functionsPollMs: 50 })
    await using bridge = await startBridge(engine)
    await using _ = await startSkillsWorker(engine.url)
    const called: string[] = []
    const offer = (id: string, annotations?: object, resource?: object) =>
      bridge.other.registerFunction(id, () => called.push(id), {
        metadata: { mcp: { annotations, resource } },
      })
    offer('orders::cancel', { destructiveHint: true }, { uri: 'orders://cancel', name: 'Cancel' })
    offer('orders::create', { readOnlyHint: false, destructiveHint: false })
    offer('orders::count')
    await bridge.other.ready()
    await untilAnswer(
      () => bridge.toolNames(),
      (names) => names.includes('orders__count'),
    )
    const text = (id: string, tool: string, hint: string) =>
      `Function '${id}' changes something (it says ${hint}), so reading an address does not call it. Call it as a tool: ${tool}`
    const cancel = text('orders::cancel', 'orders__cancel', 'destructiveHint: true')
    for (const [uri, message] of [
      ['iii://fn/orders/cancel', cancel],
      ['orders://cancel', cancel],
      ['iii://fn/orders/create', text('orders::create', 'orders__create', 'readOnlyHint: false')],
    ]) {
      const { message: reply } = await bridge.rpc('resources/read', { uri })
      expect(reply.error).toEqual({ code: -32602, message, data: { uri } })
    }
    const fetched = await bridge.call('skill__fetch', { uris: ['iii://orders', 'iii://fn/orders/cancel'] })
    expect(fetched).toMatchObject({ isError: true, content: [{ text: `Error: ${cancel}` }] })
    expect(called).toEqual([])
    await bridge.result('resources/read', { uri: 'iii://fn/orders/count' })
    expect(called).toEqual(['orders::count'])
    const { resources } = await bridge.result<{ resources: { uri: string }[] }>('resources/list')
    expect(resources.map(({ uri }) => uri)).not.toContain('orders://cancel')
  })

  it('that are not there have the code of the era', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    await using _ = await startSkillsWorker(engine.url)
    for (const uri of ['iii://nope', 'iii://fn/no/body']) {
      const old = await bridge.rpc('resources/read', { uri })
      expect([old.status, old.message.error]).toMatchObject([200, { code: -32002, data: { uri } }])
      const { meta, headers } = stateless('resources/read', uri)
      const modern = await bridge.rpc('resources/read', { uri, _meta: meta }, headers)
      expect([modern.status, modern.message.error]).toMatchObject([200, { code: -32602, data: { uri } }])
    }
  })

  it.each([
    [
      'orders/refunds',
      /^A Resource URI must start with iii:\/\/ or skill:\/\/, or be one that a function declares: orders\/refunds\. Did you mean iii:\/\/orders/,
    ],
    [
      'III://orders',
      /^A Resource URI must start with iii:\/\/ or skill:\/\/, .*: III:\/\/orders\. Did you mean iii:\/\/orders/,
    ],
    ['iii://', 'Empty resource id: iii://'],
    ['iii://a//b', /may not contain empty segments/],
    ['iii://fn', /missing a function path/],
    ['iii://orders/orders::report', /write iii:\/\/fn\/orders\/report/],
    ['iii://fn/state%2Fget', /invalid section URI segment/],
    ['iii://../etc/passwd', /may only contain/],
  ])('with an address like %s are refused with what would be right', async (uri, text) => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    await using skills = await startSkillsWorker(engine.url)
    const { message } = await bridge.rpc('resources/read', { uri })
    expect(message.error).toMatchObject({
      code: -32602,
      message: typeof text === 'string' ? text : expect.stringMatching(text),
      data: { uri },
    })
    expect(skills.sidecars).toEqual([])
  })

  it.each([
    ['iii://', 'Resource URI is too long (2000000 characters; max 1100)'],
    ['iii://functions/', 'Resource URI is too long (2000000 characters; max 1100)'],
    ['orders://', 'Resource URI is too long (2000000 characters; max 1100)'],
    ['skill://', 'A skill:// address is too long (2000000 characters; max 4646)'],
  ])('of megabytes that begin with %s are refused at once, and told back in part', async (scheme, message) => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    const uri = scheme.padEnd(2_000_000, 'x')
    const prompt = { ref: { type: 'ref/resource', uri }, argument: { name: 'a', value: '' } }
    const refusal = { code: -32602, message, data: { uri: uri.slice(0, 1_100) } }
    for (const method of ['resources/read', 'skills/get', 'resources/directory/read'])
      expect((await bridge.rpc(method, { uri })).message.error).toEqual(refusal)
    expect((await bridge.rpc('completion/complete', prompt)).message.error).toEqual(refusal)
  })

  it.each([undefined, {}, { uri: 7 }, { uri: '' }])('are not read without an address: %j', async (params) => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    const { message } = await bridge.rpc('resources/read', params)
    expect(message.error).toEqual({
      code: -32602,
      message: "Invalid params: resources/read needs a non-empty string 'uri'",
    })
  })

  it('pass the gate where a function renders them', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine, { options: { requireExpose: true, hiddenPrefixes: ['audit'] } })
    await using skills = await startSkillsWorker(engine.url)
    bridge.other.registerFunction('orders::report', () => 'shown', { metadata: { 'mcp.expose': true } })
    bridge.other.registerFunction('orders::hidden', () => 'secret')
    await bridge.other.ready()
    expect(await bridge.result('resources/read', { uri: 'iii://fn/orders/report' })).toMatchObject({
      contents: [{ text: 'shown' }],
    })
    for (const [uri, text] of [
      ['iii://fn/state/get', "Function 'state::get' is in an internal namespace and cannot back a skill resource"],
      ['iii://fn/orders/hidden', /is not exposed via mcp\.expose metadata/],
      ['iii://fn/audit/log', /is disabled on this server/],
    ] as const) {
      const { message } = await bridge.rpc('resources/read', { uri })
      expect(message.error?.code).toBe(-32602)
      expect(message.error?.message).toMatch(text)
    }
    expect(skills.sidecars).toHaveLength(1)
  })
})

describe('a registry that is not installed', () => {
  const _meta = { degraded: expect.stringMatching(/^No skills registry is connected/) }

  it.each([
    ['resources/list', 'resources'],
    ['resources/templates/list', 'resourceTemplates'],
    ['prompts/list', 'prompts'],
  ])('leaves %s empty, which says so in each era', async (method, key) => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine, { options: { noBuiltins: true } })
    expect(await bridge.result(method)).toEqual({ _meta, [key]: [] })
    const { meta, headers } = stateless(method)
    const { message } = await bridge.rpc(method, { _meta: meta }, headers)
    const server = { 'io.modelcontextprotocol/serverInfo': expect.anything() }
    expect(message.result).toMatchObject({ _meta: { ..._meta, ...server }, [key]: [] })
    await using _ = await startSkillsWorker(engine.url)
    await vi.waitFor(async () => expect((await bridge.result(method))['_meta']).toBe(undefined), 5_000)
  })

  it('is said where something is read', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine, { options: { noBuiltins: true } })
    const { message } = await bridge.rpc('resources/read', { uri: 'iii://skills' })
    expect(message.error).toEqual({
      code: -32603,
      message:
        'The skills worker is not installed on this engine, not running, or without skills::resources-read. It is the npm package @iii/skills: start it with npx -y @iii/skills',
    })
  })

  it('is used as soon as it comes up, and missed as soon as it goes', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine, { options: { noBuiltins: true } })
    expect((await bridge.rpc('resources/read', { uri: 'iii://orders' })).message.error).toBeDefined()
    const skills = await startSkillsWorker(engine.url)
    expect((await bridge.rpc('resources/read', { uri: 'iii://orders' })).message.result).toBeDefined()
    await skills[Symbol.asyncDispose]()
    expect(await bridge.result('resources/list')).toEqual({ _meta, resources: [] })
  })
})

describe('a registry that fails', () => {
  it('makes a plain error, never an empty list', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    await using skills = registerWorker(engine.url, { name: 'skills' })
    const fail = () => {
      throw new Fault('unavailable', 'the store at /var/lib/iii/state cannot be read')
    }
    for (const name of ['resources-list', 'resources-read']) skills.registerFunction(`skills::${name}`, fail)
    await skills.ready()
    for (const [method, params] of [
      ['resources/list', {}],
      ['resources/read', { uri: 'iii://orders' }],
    ] as const) {
      const { status, message } = await bridge.rpc(method, params)
      expect([status, message.error]).toEqual([200, { code: -32603, message: 'the store at <path> cannot be read' }])
    }
  })
})

describe('a section that asks', () => {
  it('is asked for again with the answer', async () => {
    await using engine = await startMockEngine()
    await using _skills = await startSkillsWorker(engine.url)
    await using bridge = await startBridge(engine)
    const input_requests = { where: { method: 'sampling/createMessage', params: { messages: [], maxTokens: 5 } } }
    bridge.other.registerFunction('orders::status', (_, metadata) => {
      const { input_responses: answers, uri } = readMcpSidecar(metadata) ?? {}
      if (answers === undefined) return { result_type: 'input_required', input_requests }
      return `${uri}: ${Object.keys(answers)}`
    })
    await bridge.other.ready()
    const uri = 'iii://fn/orders/status'
    const { meta, headers } = stateless('resources/read', uri)
    const first = await bridge.rpc('resources/read', { uri, _meta: meta }, headers)
    expect(first.message.result).toEqual({
      resultType: 'input_required',
      inputRequests: input_requests,
      _meta: expect.any(Object),
    })
    const inputResponses = { where: { role: 'assistant', content: { type: 'text', text: 'Bern' }, model: 'm' } }
    const { message } = await bridge.rpc('resources/read', { uri, inputResponses, _meta: meta }, headers)
    expect(message.result).toMatchObject({ contents: [{ uri, text: `${uri}: where` }] })
  })
})
