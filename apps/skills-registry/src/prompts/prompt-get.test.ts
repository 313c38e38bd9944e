import { startMockEngine } from '@iii/mock-engine'
import { Fault, type FaultCode } from '@iii/protocol'
import { describe, expect, it } from 'vitest'
import { startRegistry, type TestRegistry } from '../testing/registry.ts'

const prompt = (more: object = {}) => ({
  name: 'send-email',
  description: 'Compose an email',
  arguments: [{ name: 'to', description: 'Who', required: true }, { name: 'tone' }],
  function_id: 'mail::prompt',
  ...more,
})

/** Offers `mail::prompt` and tells what it was called with. */
async function serveHandler(registry: TestRegistry, handle: (args: unknown) => unknown) {
  const calls: { payload: unknown; metadata: unknown }[] = []
  registry.client.registerFunction('mail::prompt', (payload: unknown, metadata) => {
    calls.push({ payload, metadata })
    return handle(payload)
  })
  await registry.client.ready()
  await registry.call('prompts::register', prompt())
  return calls
}

const get = (registry: TestRegistry, args?: unknown, metadata?: unknown) =>
  registry.call('prompts::mcp-get', { name: 'send-email', arguments: args }, metadata)

describe('prompts::mcp-get', () => {
  it.each([
    ['a string', 'Write it.'],
    ['an object with content', { content: 'Write it.' }],
  ])('makes one message of the user from %s', async (_, value) => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    await serveHandler(registry, () => value)
    expect(await get(registry, { to: 'a@b.c' })).toEqual({
      description: 'Compose an email',
      messages: [{ role: 'user', content: { type: 'text', text: 'Write it.' } }],
    })
  })

  it('passes ready messages as they are, before content', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    const messages = [
      { role: 'user', content: { type: 'text', text: 'a' } },
      { role: 'assistant', content: { type: 'image', data: 'AAAA', mimeType: 'image/png' } },
    ]
    await serveHandler(registry, () => ({ messages, content: 'not this' }))
    expect(await get(registry)).toEqual({ description: 'Compose an email', messages })
  })

  it('passes a question to the client back as it is', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    const asked = {
      result_type: 'input_required',
      input_requests: { to: { method: 'elicitation/create', params: { message: 'To whom?' } } },
      request_state: 'sealed',
    }
    const { input_requests: _, ...waiting } = asked
    const answers = [asked, waiting]
    await serveHandler(registry, () => answers.shift())
    expect(await get(registry)).toEqual(asked)
    // Older bridges want them.
    expect(await get(registry)).toEqual({ ...waiting, input_requests: {} })
  })

  it('hands the arguments on as they come, and an empty object when there are none', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    const calls = await serveHandler(registry, () => 'x')
    await get(registry, { tone: 'short', other: 1 })
    await get(registry, null)
    await registry.call('prompts::mcp-get', { name: 'send-email' })
    expect(calls.map(({ payload }) => payload)).toEqual([{ tone: 'short', other: 1 }, {}, {}])
  })

  it('hands the mcp sidecar of its own call on, and no other metadata', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    const calls = await serveHandler(registry, () => 'x')
    const mcp = { call_id: 'c1', via: 'mcp::b1', client: { name: 'x' }, request_state: 's', more: [1] }
    await get(registry, {}, { mcp, secret: 1 })
    await get(registry, {})
    expect(calls.map(({ metadata }) => metadata)).toEqual([{ mcp }, undefined])
  })

  it('says that a prompt does not exist, and what is wrong with a name', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    expect(await registry.refusal('prompts::mcp-get', { name: 'none' })).toBe('Prompt not found: none [not_found]')
    expect(await registry.refusal('prompts::mcp-get', { name: '' })).toBe('name must be non-empty [invalid_input]')
  })

  it('refuses a row with an internal handler that came into the store some other way', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    const value = { ...prompt({ function_id: 'state::set', arguments: [] }), registered_at: '2026-05-05T00:00:00Z' }
    await registry.call('state::set', { scope: 'prompts', key: 'send-email', value })
    expect(await registry.refusal('prompts::mcp-get', { name: 'send-email', arguments: {} })).toBe(
      "Prompt handler 'state::set' is in an internal namespace and cannot back a prompt [forbidden]",
    )
  })

  it('refuses a handler whose metadata says that it is internal', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    registry.client.registerFunction('mail::prompt', () => 'x', { metadata: { internal: true } })
    await registry.client.ready()
    await registry.call('prompts::register', prompt())
    expect(await registry.refusal('prompts::mcp-get', { name: 'send-email' })).toBe(
      "Prompt handler 'mail::prompt' is in an internal namespace and cannot back a prompt [forbidden]",
    )
  })
})

describe('a prompt handler that does not work', () => {
  it('is named when it throws, without stack and paths', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    await serveHandler(registry, () => {
      throw new Error("cannot open '/home/me/templates.json'\n    at open (node:fs:1:1)")
    })
    expect(await registry.refusal('prompts::mcp-get', { name: 'send-email' })).toBe(
      "trigger mail::prompt: cannot open '<path>' [internal]",
    )
  })

  it('keeps the code of its fault, but what it did not find is not the prompt', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    await serveHandler(registry, (args) => {
      const { code } = args as { code: FaultCode }
      throw new Fault(code, 'No order 7')
    })
    const codes = await Promise.all(
      (['invalid_input', 'not_found', 'overloaded'] as const).map(async (code) => {
        const fault = await registry.fault('prompts::mcp-get', { name: 'send-email', arguments: { code } })
        expect(fault.message).toBe('trigger mail::prompt: No order 7')
        return fault.code
      }),
    )
    expect(codes).toEqual(['invalid_input', 'invalid_input', 'overloaded'])
  })

  it('is named when it does not exist', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    await registry.call('prompts::register', prompt())
    expect(await registry.refusal('prompts::mcp-get', { name: 'send-email' })).toMatch(
      /^trigger mail::prompt: .*mail::prompt.* \[unavailable\]$/,
    )
  })

  it('is named when it does not answer in time', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url, { stateTimeoutMs: 200 })
    await serveHandler(registry, () => new Promise(() => undefined))
    expect(await registry.refusal('prompts::mcp-get', { name: 'send-email' })).toMatch(
      /^trigger mail::prompt: .*\[deadline\]$/,
    )
  })

  it.each([[42], [null], [{ text: 'x' }], [[]], [{ messages: [{ role: 'robot', content: 'x' }] }]])(
    'is named when it returns %j',
    async (value) => {
      await using engine = await startMockEngine()
      await using registry = await startRegistry(engine.url)
      await serveHandler(registry, () => value)
      expect(await registry.refusal('prompts::mcp-get', { name: 'send-email' })).toMatch(
        /^trigger mail::prompt: prompt handler returned unsupported shape; expected string, \{ content \}, or \{ messages: \[\.\.\.\] \}.*\[internal\]$/,
      )
    },
  )
})
