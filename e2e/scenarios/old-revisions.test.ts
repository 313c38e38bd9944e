import { afterAll, beforeAll, expect } from 'vitest'
import { createCleanup } from '../cleanup.ts'
import { hasFunctions, requestOnce } from '../facts.ts'
import { openSession, postRequest } from '../raw-client.ts'
import { scenario } from '../scenario.ts'
import { type Stack, startStack } from '../stack.ts'
import { until } from '../until.ts'

const cleanup = createCleanup()
let stack: Stack

const LINK = { type: 'resource_link', uri: 'iii://orders', name: 'orders' }
const AUDIO = { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' }
const PROMPT = { name: 'old', description: 'Has a link', function_id: 'old::prompt' }

beforeAll(async () => {
  stack = cleanup.use(await startStack({ workers: ['skills', 'bridge'] }))
  const { worker } = stack
  worker.registerFunction('old::blocks', () => ({ content: [LINK, AUDIO] }))
  worker.registerFunction('old::large', () => 'x'.repeat(200_000))
  worker.registerFunction('old::prompt', () => ({
    messages: [LINK, AUDIO].map((content) => ({ role: 'user', content })),
  }))
  await until(() => hasFunctions(worker, ['old::prompt', 'prompts::register']), { what: 'the functions to be there' })
  await worker.trigger({ function_id: 'prompts::register', payload: PROMPT })
  const isListed = async () => JSON.stringify(await requestOnce(stack.mcpUrl, 'prompts/list')).includes('"old"')
  await until(isListed, { what: 'the prompt to be listed' })
})
afterAll(() => cleanup.run())

/** The types of the blocks that a client of a revision gets, of the results of tools and of a prompt. */
async function readTypes(revision: string): Promise<string[]> {
  const session = await openSession(stack.mcpUrl, {}, revision)
  const ask = async (method: string, params: object) =>
    (await postRequest(stack.mcpUrl, session, method, params).over)[0]?.result
  const blocks = await ask('tools/call', { name: 'old__blocks' })
  const large = await ask('tools/call', { name: 'old__large' })
  const prompt = await ask('prompts/get', { name: 'old' })
  const messages = prompt?.['messages'] as { content: unknown }[]
  const shown = [blocks?.['content'], large?.['content'], messages.map(({ content }) => content)]
  return (shown.flat() as { type: string }[]).map(({ type }) => type)
}

scenario(['clients/old'], 'clients of every revision get blocks that their revision has, and no other', async () => {
  const cut = ['text', 'resource_link', 'text']
  const all = ['resource_link', 'audio', ...cut, 'resource_link', 'audio']
  for (const revision of ['2025-11-25', '2025-06-18']) expect(await readTypes(revision)).toEqual(all)
  const withoutLinks = all.map((type) => (type === 'resource_link' ? 'text' : type))
  expect(await readTypes('2025-03-26')).toEqual(withoutLinks)
  expect(await readTypes('2024-11-05')).toEqual(all.map(() => 'text'))
})
