import { afterAll, beforeAll, expect } from 'vitest'
import { CLIENT_KINDS } from '../clients.ts'
import { postRequest } from '../raw-client.ts'
import { scenario } from '../scenario.ts'
import { type Stack, startStack } from '../stack.ts'
import { until } from '../until.ts'

let stack: Stack

beforeAll(async () => {
  stack = await startStack({ workers: ['bridge'], bridgeFlags: ['--no-builtins'] })
})
afterAll(() => stack?.[Symbol.asyncDispose]())

for (const kind of CLIENT_KINDS) {
  scenario(
    ['registry/absent'],
    `${kind} sees empty lists without a registry, and a read that says what is missing`,
    async () => {
      await using client = await stack.connect(kind)
      expect(await client.listResources()).toEqual([])
      expect(await client.listResourceTemplates()).toEqual([])
      expect(await client.listPrompts()).toEqual([])
      await expect(client.readResource('iii://skills')).rejects.toThrow(/skills worker is not installed/)
      await expect(client.readResource('iii://orders')).rejects.toThrow(/npm package @iii\/skills/)
    },
  )
}

scenario(
  ['registry/plain-prompts'],
  'the prompts of a registry that names no functions are listed and rendered as it does it',
  async () => {
    const prompts = [{ name: 'greet', description: 'Greets', arguments: [] }]
    const answer = { description: 'Greets', messages: [{ role: 'user', content: { type: 'text', text: 'Hello' } }] }
    const registrations = [
      stack.worker.registerFunction('prompts::mcp-list', () => ({ prompts })),
      stack.worker.registerFunction('prompts::mcp-get', () => answer),
    ]
    try {
      await stack.worker.ready()
      await using client = await stack.connect('sdk 1.x')
      const isListed = async () => (await client.listPrompts()).some(({ name }) => name === 'greet')
      await until(isListed, { what: 'the prompt' })
      expect(await client.getPrompt('greet', {})).toEqual(answer)
      await expect(client.getPrompt('other', {})).rejects.toThrow('Prompt not found: other')
    } finally {
      for (const registration of registrations) registration.unregister()
    }
  },
)

scenario(
  ['registry/late'],
  'a registry that comes up later is used by the bridge and the clients that are there',
  async () => {
    await using client = await stack.connect('sdk 1.x')
    await stack.startSkills()
    await stack.startOrders()
    const hasSkill = async () => (await client.listResources()).some(({ uri }) => uri === 'iii://orders')
    await until(hasSkill, { what: 'the skill of the sample worker', deadlineMs: 5000 })
    const hasPrompt = async () => (await client.listPrompts()).some(({ name }) => name === 'refund-order')
    await until(hasPrompt, { what: 'its prompt', deadlineMs: 5000 })
    expect((await client.readResource('iii://orders'))[0]?.text).toContain('# Orders')
  },
)

scenario(['registry/late', 'registry/absent'], 'a registry that was restarted has everything again', async () => {
  await using client = await stack.connect('sdk 1.x')
  const before = await client.listResources()
  await stack.stop('skills')
  const isGone = async () => (await client.listResources()).length === 0
  await until(isGone, { what: 'the lists to be empty', deadlineMs: 5000 })
  const [reply] = await postRequest(stack.mcpUrl, {}, 'resources/list', {}).over
  const degraded = expect.stringContaining('No skills registry is connected')
  expect(reply?.result).toMatchObject({ _meta: { degraded } })
  await stack.startSkills()
  expect(await client.listResources()).toEqual(before)
  expect((await client.listPrompts()).map(({ name }) => name)).toEqual(['refund-order'])
})
