import { startMockEngine } from '@iii/mock-engine'
import { Fault, readMcpSidecar } from '@iii/protocol'
import { describe, expect, it } from 'vitest'
import { EVERYBODY } from '../../auth/principal.ts'
import { startBridge, stateless, type TestBridge } from '../../testing/bridge.ts'
import { startSkillsWorker } from '../../testing/skills-worker.ts'
import { untilAnswer } from '../../testing/until.ts'

interface Row {
  uri?: string
  uriTemplate?: string
}

const resources = async (bridge: TestBridge) =>
  (await bridge.result<{ resources: Row[] }>('resources/list')).resources.map(({ uri }) => uri)
const templates = async (bridge: TestBridge) =>
  (await bridge.result<{ resourceTemplates: Row[] }>('resources/templates/list')).resourceTemplates

describe('resources that functions declare', () => {
  it('are listed behind those of the registry, sorted, without what cannot be served', async () => {
    await using engine = await startMockEngine({ functionsPollMs: 50 })
    await using _skills = await startSkillsWorker(engine.url)
    await using bridge = await startBridge(engine, { options: { noBuiltins: true } })
    const offer = (id: string, resource: object, more: object = {}) =>
      bridge.other.registerFunction(id, () => 'x', {
        description: `About ${id}`,
        metadata: { mcp: { resource, ...more } },
      })
    offer('b::z', { uri: 'test://z', name: 'z', title: 'Z', mimeType: 'text/csv' })
    offer('b::a', { uri: 'test://a', name: 'a', description: 'Mine' })
    offer('a::z', { uri: 'test://z', name: 'first by id' })
    offer('b::ours', { uri: 'iii://skills', name: 'not theirs' })
    offer('b::ours2', { uri: 'III://orders', name: 'not theirs' })
    offer('b::bad', { uri: 'no address', name: 'bad' })
    offer('b::unread', { uri: 'test://[bad', name: 'clients that parse addresses refuse the list' })
    offer('b::hidden', { uri: 'test://hidden', name: 'hidden' }, { expose: false })
    await bridge.other.ready()
    await untilAnswer(
      () => resources(bridge),
      (uris) => uris.includes('test://a'),
    )
    const { resources: rows } = await bridge.result<{ resources: Row[] }>('resources/list')
    expect(rows.slice(-2)).toEqual([
      { uri: 'test://a', name: 'a', description: 'Mine' },
      { uri: 'test://z', name: 'first by id', description: 'About a::z' },
    ])
    expect(rows.map(({ uri }) => uri)).toEqual(['iii://skills', 'iii://orders', 'test://a', 'test://z'])
    expect(await bridge.toolNames()).toContain('b__a')
  })

  it.each<[string, unknown, object]>([
    ['a string', 'hi', { mimeType: 'text/csv', text: 'hi' }],
    ['text with a type', { text: 'hi', mimeType: 'text/html' }, { mimeType: 'text/html', text: 'hi' }],
    ['text', { text: 'hi' }, { mimeType: 'text/csv', text: 'hi' }],
    ['a blob', { blob: 'aGk=', mimeType: 'image/png' }, { mimeType: 'image/png', blob: 'aGk=' }],
    ['contents', { contents: [{ text: 'a' }] }, { mimeType: 'text/csv', text: 'a' }],
    ['anything else', { total: 1 }, { mimeType: 'application/json', text: '{\n  "total": 1\n}' }],
  ])('are read: %s', async (_, value, content) => {
    await using engine = await startMockEngine({ functionsPollMs: 50 })
    await using bridge = await startBridge(engine)
    const seen: unknown[] = []
    const handler = (payload: unknown, metadata: unknown) => {
      seen.push(payload, readMcpSidecar(metadata)?.uri)
      return value
    }
    const resource = { uri: 'test://static', name: 'static', mimeType: 'text/csv' }
    bridge.other.registerFunction('own::static', handler, { metadata: { 'mcp.resource': resource } })
    await bridge.other.ready()
    const read = await untilAnswer(
      () => bridge.rpc('resources/read', { uri: 'test://static' }),
      ({ message }) => message.result !== undefined,
    )
    expect(read.message.result).toEqual({ contents: [{ uri: 'test://static', ...content }] })
    expect(seen).toEqual([expect.objectContaining({}), 'test://static'])
  })

  it('are listed as clients write their addresses that parse them, and are read and heard of in either spelling', async () => {
    await using engine = await startMockEngine({ functionsPollMs: 50 })
    await using bridge = await startBridge(engine, { options: { noBuiltins: true } })
    bridge.other.registerFunction('own::green', () => 'green', {
      metadata: { mcp: { resource: { uri: 'shop://tea/grün', name: 'green' } } },
    })
    await bridge.other.ready()
    const spelled = 'shop://tea/gr%C3%BCn'
    expect(
      await untilAnswer(
        () => resources(bridge),
        (uris) => uris.length > 0,
      ),
    ).toEqual([spelled])
    for (const uri of [spelled, 'shop://tea/grün']) {
      const { message } = await bridge.rpc('resources/read', { uri })
      expect(message.result).toMatchObject({ contents: [{ uri, text: 'green' }] })
    }
  })

  it('have the code of the era where there is none, and the address in the data', async () => {
    await using engine = await startMockEngine({ functionsPollMs: 50 })
    await using bridge = await startBridge(engine)
    const uri = 'test://nothing'
    const { meta, headers } = stateless('resources/read', uri)
    const modern = await bridge.rpc('resources/read', { uri, _meta: meta }, headers)
    expect(modern.message.error).toMatchObject({ code: -32602, data: { uri } })
    const { message } = await bridge.rpc('resources/read', { uri })
    expect(message.error).toMatchObject({ code: -32002, data: { uri }, message: expect.stringMatching(/not found/) })
  })

  it('fail as their function does', async () => {
    await using engine = await startMockEngine({ functionsPollMs: 50 })
    await using bridge = await startBridge(engine)
    const codes = { a: 'not_found', b: 'invalid_input', c: 'internal' } as const
    for (const [name, code] of Object.entries(codes)) {
      const fail = () => {
        throw new Fault(code, `no ${name}`)
      }
      bridge.other.registerFunction(`own::${name}`, fail, {
        metadata: { mcp: { resource: { uri: `test://${name}`, name } } },
      })
    }
    await bridge.other.ready()
    const read = async (uri: string) => (await bridge.rpc('resources/read', { uri })).message.error
    await untilAnswer(
      () => read('test://c'),
      (error) => error?.message === 'no c',
    )
    expect((await read('test://a'))?.code).toBe(-32002)
    expect((await read('test://b'))?.code).toBe(-32602)
    expect((await read('test://c'))?.code).toBe(-32603)
  })
})

describe('templates that functions declare', () => {
  it('are listed, and read with what their variables stand for; the one that says more is meant', async () => {
    await using engine = await startMockEngine({ functionsPollMs: 50 })
    await using bridge = await startBridge(engine, { options: { noBuiltins: true } })
    const echo = (name: string) => (payload: unknown, metadata: unknown) => {
      const { uri, variables } = readMcpSidecar(metadata) ?? {}
      return { contents: [{ text: JSON.stringify([name, payload, uri, variables]) }] }
    }
    const offer = (name: string, uriTemplate: string) =>
      bridge.other.registerFunction(`own::${name}`, echo(name), {
        metadata: { mcp: { template: { uriTemplate, name } } },
      })
    offer('any', 'test://template/{+path}')
    offer('data', 'test://template/{id}/data')
    offer('bad', 'test://{*x}')
    offer('all', '{+everything}')
    await bridge.other.ready()
    const rows = await untilAnswer(
      () => templates(bridge),
      (found) => found.length === 2,
    )
    expect(rows.map(({ uriTemplate }) => uriTemplate)).toEqual(['test://template/{+path}', 'test://template/{id}/data'])
    const read = async (uri: string) => {
      const { contents } = await bridge.result<{ contents: { uri: string; text: string }[] }>('resources/read', { uri })
      expect(contents[0]?.uri).toBe(uri)
      return JSON.parse(contents[0]?.text ?? '') as unknown
    }
    const data = { id: '123' }
    const uri = 'test://template/123/data'
    expect(await read(uri)).toEqual(['data', expect.objectContaining(data), uri, data])
    expect(await read('test://template/a/b')).toEqual([
      'any',
      expect.objectContaining({ path: 'a/b' }),
      'test://template/a/b',
      { path: 'a/b' },
    ])
  })
})

describe('the operator', () => {
  it('reads once why a resource is not listed', async () => {
    const { createDeclaredResources } = await import('./index.ts')
    const lines: unknown[] = []
    const log = { warn: (fields: unknown) => lines.push(fields) }
    const declared = [
      { functionId: 'a', description: undefined, resource: { uri: 'test://x', name: 'x' } },
      { functionId: 'b', description: undefined, resource: { uri: 'test://x', name: 'x' } },
      { functionId: 'c', description: undefined, template: { uriTemplate: 'iii://fn/{+any}', name: 'x' } },
    ]
    const own = createDeclaredResources({ catalog: { declared: async () => [...declared] }, log: log as never })
    await own.resources(EVERYBODY)
    await own.resources(EVERYBODY)
    expect(lines).toEqual([
      { function_id: 'b', problem: 'mcp.resource: test://x belongs to a' },
      { function_id: 'c', problem: expect.stringMatching(/iii:\/\/ addresses belong to skills/) },
    ])
    expect(await own.find('iii://fn/state/get', EVERYBODY)).toBeUndefined()
  })

  it('reads it again of a function that came back after a thousand others: ids are made up all the time', async () => {
    const { createDeclaredResources } = await import('./index.ts')
    const lines: { function_id: string }[] = []
    const log = { warn: (fields: { function_id: string }) => lines.push(fields) }
    let ids: readonly string[] = []
    const toDeclared = (functionId: string) => ({
      functionId,
      description: undefined,
      template: { uriTemplate: 'iii://fn/{+any}', name: 'x' },
    })
    const declared = async () => ids.map(toDeclared)
    const own = createDeclaredResources({ catalog: { declared }, log: log as never })
    const passing = Array.from({ length: 1_001 }, (_, at) => `passing::${at}`)
    for (const now of [['back'], passing, ['stays'], ['back', 'stays']]) {
      ids = ['always', ...now]
      await own.resources(EVERYBODY)
    }
    const toldOf = (id: string) => lines.filter(({ function_id }) => function_id === id).length
    expect(['always', 'stays', 'back', 'passing::7'].map(toldOf)).toEqual([1, 1, 2, 1])
  })
})
