import { startMockEngine } from '@iii/mock-engine'
import { Fault } from '@iii/protocol'
import { describe, expect, it } from 'vitest'
import { startRegistry, type TestRegistry } from '../testing/registry.ts'

const read = (registry: TestRegistry, uri: string, metadata?: unknown) =>
  registry.call<{ contents: { text: string }[] }>('skills::resources-read', { uri }, metadata)

const refusal = (registry: TestRegistry, uri: string) => registry.refusal('skills::resources-read', { uri })

async function serve(
  registry: TestRegistry,
  functionId: string,
  handle: (payload: unknown, metadata: unknown) => unknown,
) {
  registry.client.registerFunction(functionId, handle)
  await registry.client.ready()
}

describe('skills::resources-read of a section', () => {
  it.each([
    ['a string is markdown', '# Health', { mimeType: 'text/markdown', text: '# Health' }],
    ['content is markdown', { content: '# Health', more: 1 }, { mimeType: 'text/markdown', text: '# Health' }],
    [
      'text with its type is taken as it is',
      { text: 'a,b', mimeType: 'text/csv' },
      { mimeType: 'text/csv', text: 'a,b' },
    ],
    [
      'a blob with its type is taken as it is',
      { blob: 'AAAA', mimeType: 'image/png' },
      { mimeType: 'image/png', blob: 'AAAA' },
    ],
    [
      'anything else is pretty JSON',
      { ok: [1] },
      { mimeType: 'application/json', text: '{\n  "ok": [\n    1\n  ]\n}' },
    ],
    ['a number is JSON', 7, { mimeType: 'application/json', text: '7' }],
    ['nothing is null', null, { mimeType: 'application/json', text: 'null' }],
  ])('serves what the function returns: %s', async (_, value, content) => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    await serve(registry, 'resend::health', () => value)
    const uri = 'iii://fn/resend/health'
    expect(await read(registry, uri)).toEqual({ contents: [{ uri, ...content }] })
  })

  it('passes ready contents and questions to the client back as they are', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    const ready = { contents: [{ uri: 'iii://fn/a/b', text: 'x', mimeType: 'text/plain', _meta: { a: 1 } }] }
    const asked = { result_type: 'input_required', input_requests: { q: { method: 'roots/list' } }, request_state: 's' }
    await serve(registry, 'a::b', () => ready)
    await serve(registry, 'a::c', () => asked)
    expect(await read(registry, 'iii://fn/a/b')).toEqual(ready)
    expect(await read(registry, 'iii://fn/a/c')).toEqual(asked)
    const { input_requests: _, ...waiting } = asked
    await serve(registry, 'a::d', () => waiting)
    // Older bridges want them.
    expect(await read(registry, 'iii://fn/a/d')).toEqual({ ...waiting, input_requests: {} })
  })

  it('calls the function that the path names, with an empty object and the mcp sidecar of its own call', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    const calls: unknown[] = []
    await serve(registry, 'a::B_1::c-d::e', (payload, metadata) => {
      calls.push([payload, metadata])
      return 'x'
    })
    const uri = 'iii://fn/a/B_1/c-d/e'
    const mcp = { call_id: 'c1', via: 'mcp::b1', input_responses: { q: 1 } }
    await read(registry, uri)
    await read(registry, uri, { mcp, other: 1 })
    expect(calls).toEqual([
      [{}, undefined],
      [{}, { mcp: { ...mcp, uri } }],
    ])
  })

  it.each([
    'state/set',
    'engine/workers/list',
    'mcp/handler',
    'skills/list',
    'prompts/list',
    'a2a/x',
    'iii-state/x',
    'publish',
    'STATE/get',
  ])('refuses iii://fn/%s, which is internal', async (path) => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    expect(await refusal(registry, `iii://fn/${path}`)).toBe(
      `Function '${path.replaceAll('/', '::')}' is in an internal namespace and cannot back a skill resource [forbidden]`,
    )
  })

  it('refuses a function whose metadata says that it is internal, and never calls it', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    let called = false
    const handler = () => {
      called = true
    }
    registry.client.registerFunction('orders::purge', handler, { metadata: { internal: true } })
    await registry.client.ready()
    expect(await refusal(registry, 'iii://fn/orders/purge')).toMatch(/is in an internal namespace.*\[forbidden\]$/)
    expect(called).toBe(false)
  })

  it('says which function does not exist, and finds it once it does', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    expect(await refusal(registry, 'iii://fn/late/one')).toMatch(/^trigger late::one: .*late::one.* \[unavailable\]$/)
    await serve(registry, 'late::one', () => 'here')
    expect((await read(registry, 'iii://fn/late/one')).contents[0]?.text).toBe('here')
  })

  it('says which function failed and why, without stack and paths', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    await serve(registry, 'a::b', () => {
      throw new Error('no /home/me/file\n    at f (/home/me/x.js:1:1)')
    })
    expect(await refusal(registry, 'iii://fn/a/b')).toBe('trigger a::b: no <path> [internal]')
  })

  it('says of a function that misses an argument that it is called as a tool', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    await serve(registry, 'a::b', () => {
      throw new Fault('invalid_input', 'id: is missing')
    })
    expect(await refusal(registry, 'iii://fn/a/b')).toBe(
      'trigger a::b: id: is missing. Reading an address gives no arguments: where it is a tool, call a__b [invalid_input]',
    )
  })

  it('keeps the code of the fault that the function threw', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    await serve(registry, 'a::b', () => {
      throw new Fault('not_found', 'No report yet')
    })
    expect(await refusal(registry, 'iii://fn/a/b')).toBe('trigger a::b: No report yet [not_found]')
  })

  it('gives a function that never answers up after state_timeout_ms', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url, { stateTimeoutMs: 200 })
    await serve(registry, 'a::b', () => new Promise(() => undefined))
    expect(await refusal(registry, 'iii://fn/a/b')).toMatch(/^trigger a::b: .*\[deadline\]$/)
  })
})
