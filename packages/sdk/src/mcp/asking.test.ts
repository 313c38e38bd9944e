import { startMockEngine } from '@iii/mock-engine'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { accept, answering, offer, startMcpStage } from '../testing/mcp-stage.ts'
import type { McpContext } from './mcp-context.ts'
import { registerMcpFunction } from './register-mcp-function.ts'

const Sure = z.object({ sure: z.boolean() })

describe('a question to the client', () => {
  it('is a form, and the function goes on with what was filled in', async () => {
    await using on = await startMcpStage(startMockEngine)
    const count = await offer(on, async ({ ask }) => {
      const answer = await ask.form('Empty the shop?', Sure)
      return answer.action === 'accept' ? { sure: answer.content.sure, asked: answer.asked } : answer
    })
    const answer = answering({ 'Empty the shop?': accept({ sure: true }) })
    expect(await on.bridge.call('shop::job', { answer })).toEqual({ sure: true, asked: true })
    expect(count.runs).toBe(2)
    const [request] = Object.values(on.bridge.rounds[0]?.input_requests ?? {})
    expect(request).toEqual({
      method: 'elicitation/create',
      params: {
        message: 'Empty the shop?',
        requestedSchema: { type: 'object', properties: { sure: { type: 'boolean' } }, required: ['sure'] },
      },
    })
  })

  it.each(['decline', 'cancel'])('may be refused (%s), which is an outcome and no failure', async (action) => {
    await using on = await startMcpStage(startMockEngine)
    await offer(on, ({ ask }) => ask.form('Go on?', Sure, { default: { sure: true } }))
    expect(await on.bridge.call('shop::job', { answer: answering({ 'Go on?': { action } }) })).toEqual({ action })
  })

  it('is refused where the function was registered as one that never asks', async () => {
    await using on = await startMcpStage(startMockEngine)
    const job = (_input: unknown, { ask }: McpContext) => ask.form('Empty the shop?', Sure)
    registerMcpFunction(on.worker, 'shop::job', job, { asks: false })
    await on.worker.ready()
    await expect(on.bridge.call('shop::job')).rejects.toThrow(/^shop::job asks its client, but was registered with/)
  })

  it('has the name that the function gives it', async () => {
    await using on = await startMcpStage(startMockEngine)
    await offer(on, async ({ ask }) => [
      await ask.form('One', Sure, { key: 'user_name' }),
      await ask.form('Two', Sure, { key: 'user_name' }),
    ])
    const answer = answering({ One: accept({ sure: true }), Two: accept({ sure: false }) })
    expect(await on.bridge.call('shop::job', { answer })).toMatchObject([
      { content: { sure: true } },
      { content: { sure: false } },
    ])
    expect(on.bridge.rounds.map(({ input_requests }) => Object.keys(input_requests))).toEqual([
      ['user_name'],
      ['user_name#2'],
    ])
  })

  it('is asked again, with the reason, until the answer fits', async () => {
    await using on = await startMcpStage(startMockEngine)
    await offer(on, ({ ask }) => ask.form('How many?', z.object({ count: z.int().min(1) }), { key: 'count' }))
    const tries = [null, 7, accept({ count: 0 }), accept(undefined), { action: 'yes' }, accept({ count: 3 })]
    const answer = (_requests: unknown, round: number) => ({ count: tries[round - 1] })
    expect(await on.bridge.call('shop::job', { answer })).toEqual({
      action: 'accept',
      content: { count: 3 },
      asked: true,
    })
    const messages = on.bridge.rounds.map(({ input_requests }) => input_requests['count']?.params?.['message'])
    expect(messages).toContain('How many?\n\nThe last answer does not fit: count: must be at least 1')
    expect(messages).toHaveLength(6)
  })

  it('is asked again when the answer came under another name, and others are not looked at', async () => {
    await using on = await startMcpStage(startMockEngine)
    await offer(on, ({ ask }) => ask.form('Go on?', Sure, { key: 'go' }))
    const first = await on.bridge.callOnce('shop::job', { sidecar: { input_responses: { wrong: accept({}) } } })
    expect(first).toMatchObject({ result_type: 'input_required', input_requests: { go: {} } })
    const input_responses = { go: accept({ sure: true }), more: 1 }
    expect(await on.bridge.callOnce('shop::job', { sidecar: { input_responses } })).toMatchObject({ action: 'accept' })
  })

  it('goes to the model of the client, and to its roots', async () => {
    await using on = await startMcpStage(startMockEngine)
    await offer(on, async ({ ask }) => {
      const poem = await ask.sample('A poem, please', { key: 'poem' })
      const roots = await ask.roots({ key: 'roots' })
      return [poem.action === 'accept' ? poem.content.text : '', roots.action === 'accept' ? roots.content : []]
    })
    const sampled = { role: 'assistant', content: { type: 'text', text: 'Tea!' }, model: 'm' }
    const roots = [{ uri: 'file:///shop', name: 'shop' }]
    const answer = answering({ poem: sampled, roots: { roots } })
    expect(await on.bridge.call('shop::job', { answer })).toEqual(['Tea!', roots])
    expect(on.bridge.rounds.map(({ input_requests }) => input_requests)).toEqual([
      {
        poem: {
          method: 'sampling/createMessage',
          params: { messages: [{ role: 'user', content: { type: 'text', text: 'A poem, please' } }], maxTokens: 1000 },
        },
      },
      { roots: { method: 'roots/list', params: {} } },
    ])
  })

  it('goes out together with the others of its turn, and each gets its own answer', async () => {
    await using on = await startMcpStage(startMockEngine)
    const count = await offer(on, async ({ ask }) => {
      const asks = ['a', 'b', 'c'].map((text) => ask.form(text, z.object({ text: z.string() })))
      const answers = await Promise.all(asks)
      return answers.map((answer) => (answer.action === 'accept' ? answer.content.text : undefined))
    })
    const answer = answering({ a: accept({ text: 'A' }), b: accept({ text: 'B' }), c: accept({ text: 'C' }) })
    expect(await on.bridge.call('shop::job', { answer })).toEqual(['A', 'B', 'C'])
    expect(on.bridge.rounds).toHaveLength(1)
    expect(count.runs).toBe(2)
  })

  it('belongs to the text that was asked: another one is asked anew', async () => {
    await using on = await startMcpStage(startMockEngine)
    const stock = [1, 3, 3]
    await offer(on, ({ ask }) => ask.form(`Sell ${stock.shift()}?`, Sure))
    const answer = answering({ 'Sell 1?': accept({ sure: true }), 'Sell 3?': accept({ sure: false }) })
    expect(await on.bridge.call('shop::job', { answer })).toMatchObject({ content: { sure: false } })
    expect(on.bridge.rounds).toHaveLength(2)
  })
})

describe('where nobody can be asked', () => {
  const unable = [{}, { elicitation: { url: {} } }, { sampling: {} }]

  it('the default counts', async () => {
    await using on = await startMcpStage(startMockEngine)
    await offer(on, ({ ask }) => ask.form('Go on?', Sure, { default: { sure: true } }))
    const content = { action: 'accept', content: { sure: true }, asked: false }
    expect(await on.caller.trigger({ function_id: 'shop::job' })).toEqual(content)
    for (const client_capabilities of unable) {
      expect(await on.bridge.call('shop::job', { sidecar: { client_capabilities } })).toEqual(content)
    }
  })

  it('the default counts for a model that is to use tools and cannot, too', async () => {
    await using on = await startMcpStage(startMockEngine)
    const fallback = { text: 'none' }
    const params = { messages: [], maxTokens: 1, tools: [] }
    await offer(on, ({ ask }) => ask.sample(params, { default: fallback }))
    expect(await on.bridge.call('shop::job')).toEqual({ action: 'accept', content: fallback, asked: false })
    const client_capabilities = { sampling: { tools: {} } }
    const asked = await on.bridge.callOnce('shop::job', { sidecar: { client_capabilities } })
    expect(asked).toMatchObject({ result_type: 'input_required' })
  })

  it('a worker reads what it would take', async () => {
    await using on = await startMcpStage(startMockEngine)
    await offer(on, ({ ask }) => ask.form('Go on?', Sure))
    await expect(on.caller.trigger({ function_id: 'shop::job' })).rejects.toThrow(
      'shop::job needs an answer to the question "Go on?", and nobody can be asked here: call it through an MCP client with the capability elicitation [unavailable]',
    )
  })

  it('the bridge tells its client, in the words of its protocol, which capability is missing', async () => {
    await using on = await startMcpStage(startMockEngine)
    await offer(on, ({ ask }) => ask.sample('A poem'))
    for (const client_capabilities of [{}, { elicitation: {} }]) {
      const result = await on.bridge.callOnce('shop::job', { sidecar: { client_capabilities } })
      expect(result).toMatchObject({ result_type: 'input_required' })
    }
  })

  it('a form that cannot be shown is a mistake all the same', async () => {
    await using on = await startMcpStage(startMockEngine)
    // Where the compiler cannot know it.
    const home: z.ZodType = z.object({ home: z.object({ street: z.string() }) })
    await offer(on, ({ ask }) => ask.form('Where?', home, { default: { home: { street: '' } } }))
    await expect(on.caller.trigger({ function_id: 'shop::job' })).rejects.toThrow('The field "home" cannot be shown')
  })
})
