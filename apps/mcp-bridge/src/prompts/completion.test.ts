import { startMockEngine } from '@iii/mock-engine'
import { describe, expect, it } from 'vitest'
import { startBridge, stateless, type TestBridge } from '../testing/bridge.ts'
import { startSkillsWorker } from '../testing/skills-worker.ts'
import { untilAnswer } from '../testing/until.ts'

const argument = { name: 'city', value: 'Be' }
const prompt = { ref: { type: 'ref/prompt', name: 'travel' }, argument }
const uriTemplate = 'test://city/{city}'

/** A prompt and a template, both completed by a function that returns this. */
async function offerCompleted(bridge: TestBridge, answer: unknown): Promise<unknown[]> {
  const seen: unknown[] = []
  const complete = 'geo::complete'
  const handler = (payload: unknown) => {
    seen.push(payload)
    return answer
  }
  bridge.other.registerFunction(complete, handler, { metadata: { 'mcp.expose': false } })
  bridge.other.registerFunction('geo::travel', () => 'go', { metadata: { mcp: { complete } } })
  const template = { uriTemplate, name: 'city' }
  bridge.other.registerFunction('geo::city', () => 'x', { metadata: { mcp: { complete, template } } })
  await bridge.other.ready()
  return seen
}

const complete = async (bridge: TestBridge, params: object) =>
  (await bridge.result<{ completion: unknown }>('completion/complete', params)).completion

describe('arguments of prompts', () => {
  it.each<[string, unknown, object]>([
    ['a list', ['Berlin', 'Bern'], { values: ['Berlin', 'Bern'], total: 2, hasMore: false }],
    ['some of many', { values: ['Bern'], total: 7 }, { values: ['Bern'], total: 7, hasMore: true }],
    ['some, who knows how many', { values: ['Bern'], has_more: true }, { values: ['Bern'], total: 1, hasMore: true }],
    ['some, in the words of MCP', { values: ['Bern'], hasMore: true }, { values: ['Bern'], total: 1, hasMore: true }],
    [
      'nothing but the values',
      { values: ['Bern'], total: null, hasMore: null },
      { values: ['Bern'], total: 1, hasMore: false },
    ],
    [
      'more than MCP allows',
      Array.from({ length: 150 }, (_, index) => `c${index}`),
      { values: Array.from({ length: 100 }, (_, index) => `c${index}`), total: 150, hasMore: true },
    ],
  ])('are completed by the function that their handler names: %s', async (_, answer, completion) => {
    await using engine = await startMockEngine()
    await using skills = await startSkillsWorker(engine.url)
    await using bridge = await startBridge(engine)
    skills.prompts.set('travel', 'geo::travel')
    const seen = await offerCompleted(bridge, answer)
    const context = { arguments: { country: 'ch' } }
    expect(await complete(bridge, { ...prompt, context })).toEqual(completion)
    expect(seen).toEqual([expect.objectContaining({ ...prompt, context })])
  })

  it('are completed for clients that write null for what they do not know', async () => {
    await using engine = await startMockEngine()
    await using skills = await startSkillsWorker(engine.url)
    await using bridge = await startBridge(engine)
    skills.prompts.set('travel', 'geo::travel')
    const seen = await offerCompleted(bridge, ['Bern'])
    for (const context of [null, { arguments: null }]) {
      expect(await complete(bridge, { ...prompt, context })).toMatchObject({ values: ['Bern'] })
    }
    expect(seen).toEqual([prompt, prompt])
  })

  it('have no values where nobody completes them, in both eras', async () => {
    await using engine = await startMockEngine()
    await using skills = await startSkillsWorker(engine.url)
    await using bridge = await startBridge(engine)
    skills.prompts.set('travel', 'geo::plain')
    bridge.other.registerFunction('geo::plain', () => 'go')
    await bridge.other.ready()
    const empty = { values: [], total: 0, hasMore: false }
    expect(await complete(bridge, prompt)).toEqual(empty)
    const { meta, headers } = stateless('completion/complete')
    const reply = await bridge.rpc('completion/complete', { ...prompt, _meta: meta }, headers)
    expect(reply.message.result).toMatchObject({ resultType: 'complete', completion: empty })
  })

  it.each<[string, object]>([
    ['a prompt that is not there', { ...prompt, ref: { type: 'ref/prompt', name: 'nope' } }],
    ['a prompt that is hidden', { ...prompt, ref: { type: 'ref/prompt', name: 'hidden' } }],
    ['a completer that is hidden', { ...prompt, ref: { type: 'ref/prompt', name: 'plumbing' } }],
    ['a template that is not there', { ...prompt, ref: { type: 'ref/resource', uri: 'test://nope/{x}' } }],
    ['another reference', { ...prompt, ref: { type: 'ref/tool', name: 'travel' } }],
    ['no argument', { ref: prompt.ref }],
  ])('are refused for %s', async (_, params) => {
    await using engine = await startMockEngine()
    await using skills = await startSkillsWorker(engine.url)
    await using bridge = await startBridge(engine)
    skills.prompts.set('hidden', 'state::get').set('plumbing', 'geo::plumbing')
    bridge.other.registerFunction('geo::plumbing', () => 1, { metadata: { 'mcp.complete': 'state::get' } })
    await bridge.other.ready()
    const { message } = await bridge.rpc('completion/complete', params)
    expect(message.error?.code).toBe(-32602)
  })

  it('are an error when the function that knows them says nothing of use', async () => {
    await using engine = await startMockEngine()
    await using skills = await startSkillsWorker(engine.url)
    await using bridge = await startBridge(engine)
    skills.prompts.set('travel', 'geo::travel')
    await offerCompleted(bridge, { cities: [] })
    const { message } = await bridge.rpc('completion/complete', prompt)
    expect(message.error).toMatchObject({ code: -32603, message: expect.stringMatching(/^geo::complete answered/) })
  })
})

describe('variables of templates', () => {
  it('are completed by the function that the one behind the template names', async () => {
    await using engine = await startMockEngine({ functionsPollMs: 50 })
    await using _skills = await startSkillsWorker(engine.url)
    await using bridge = await startBridge(engine)
    const seen = await offerCompleted(bridge, ['Bern'])
    const ref = { type: 'ref/resource', uri: uriTemplate }
    const reply = await untilAnswer(
      () => bridge.rpc('completion/complete', { ref, argument }),
      ({ message }) => message.result !== undefined,
    )
    expect(reply.message.result).toEqual({ completion: { values: ['Bern'], total: 1, hasMore: false } })
    expect(seen).toEqual([expect.objectContaining({ ref, argument })])
  })

  it('have no values where the registry has the template', async () => {
    await using engine = await startMockEngine()
    await using _skills = await startSkillsWorker(engine.url)
    await using bridge = await startBridge(engine)
    const ref = { type: 'ref/resource', uri: 'iii://{skill_id}' }
    expect(await complete(bridge, { ref, argument })).toEqual({ values: [], total: 0, hasMore: false })
  })
})
