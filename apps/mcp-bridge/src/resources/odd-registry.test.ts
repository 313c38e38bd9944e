import { startMockEngine } from '@iii/mock-engine'
import { agentSkillsFunctions, promptsFunctions, skillsFunctions } from '@iii/protocol'
import { registerWorker, type Worker } from '@iii/sdk'
import { expect, it } from 'vitest'
import { startBridge } from '../testing/bridge.ts'

const { list, get, directory } = agentSkillsFunctions
const uri = 'skill://x/SKILL.md'

/** A bridge with a registry that answers everything with the same. */
async function startStage(answer: (worker: Worker) => unknown) {
  const engine = await startMockEngine()
  const bridge = await startBridge(engine)
  const registry = registerWorker(engine.url, { name: 'odd' })
  const { resourcesList, resourcesTemplates, resourcesRead } = skillsFunctions
  const { list: named, mcpList, mcpGet } = promptsFunctions
  for (const { id } of [
    list,
    get,
    directory,
    resourcesList,
    resourcesTemplates,
    resourcesRead,
    named,
    mcpList,
    mcpGet,
  ]) {
    registry.registerFunction(id, () => answer(registry))
  }
  registry.registerFunction('odd::greet', () => 'hi')
  await registry.ready()
  return {
    ask: async (method: string, params: object = {}) => {
      const { result, error } = (await bridge.rpc(method, params)).message
      return (result ?? error) as Record<string, unknown>
    },
    async [Symbol.asyncDispose]() {
      await registry.shutdown()
      await bridge[Symbol.asyncDispose]()
      await engine.close()
    },
  }
}

it('lists have what clients can read, whatever is among the rows of the registry', async () => {
  const good = { uri, uriTemplate: 'iii://{id}', name: 'good' }
  const rows = [null, 5, {}, { ...good, name: 5 }, { ...good, description: 5 }, { ...good, title: null }, good]
  const resources = [
    { ...good, uri: 'orders/today.md' },
    { ...good, size: 'large' },
    { ...good, annotations: { priority: 5 } },
    ...rows,
  ]
  await using stage = await startStage(() => ({
    ...{ resources, resourceTemplates: rows, skills: rows, prompts: rows },
    ...{ resultType: 'input_required', error: { code: 1 } },
  }))
  const ours = async (method: string, key: string) => {
    const answer = await stage.ask(method, method === 'resources/directory/read' ? { uri } : {})
    const found = answer[key] as Record<string, unknown>[]
    return [Object.keys(answer), found.filter((row) => row['name'] === 'good')] as const
  }
  expect(await ours('resources/list', 'resources')).toEqual([['resources'], [good]])
  expect(await ours('resources/templates/list', 'resourceTemplates')).toEqual([['resourceTemplates'], [good]])
  for (const [method, key] of [
    ['skills/list', 'skills'],
    ['resources/directory/read', 'resources'],
  ] as const) {
    const [members, found] = await ours(method, key)
    expect([members, found.at(-1)]).toEqual([[key, 'ttlMs', 'cacheScope'], good])
  }
})

it('what has no form of the protocol is an error that names what was answered so', async () => {
  await using stage = await startStage(() => ({ contents: [null, { uri: 'x' }], messages: [{ role: 'system' }] }))
  const failed = { code: -32603, message: expect.stringContaining('The registry answered') }
  expect(await stage.ask('skills/list')).toMatchObject(failed)
  expect(await stage.ask('skills/get', { uri })).toMatchObject(failed)
  expect(await stage.ask('resources/directory/read', { uri })).toMatchObject(failed)
  expect(await stage.ask('resources/read', { uri: 'iii://x' })).toMatchObject(failed)
})

it('a prompt whose arguments no client can read is not listed', async () => {
  const row = { name: 'good', function_id: 'odd::greet', arguments: [{ name: 'of' }] }
  const odd = ['all', [{ description: 'nameless' }]].map((given, at) => ({
    ...row,
    name: `odd-${at}`,
    arguments: given,
  }))
  await using stage = await startStage(() => ({ prompts: [...odd, row] }))
  const { prompts } = await stage.ask('prompts/list')
  const listed = (prompts as { name: string }[]).map(({ name }) => name)
  expect(listed.filter((name) => [row, ...odd].some((each) => each.name === name))).toEqual(['good'])
})

it('a prompt whose messages are none is an error', async () => {
  const prompts = [{ name: 'p', function_id: 'odd::greet' }]
  await using stage = await startStage(() => ({ prompts, messages: [null, { role: 'system', content: {} }] }))
  const failed = { code: -32603, message: 'The registry answered without messages' }
  expect(await stage.ask('prompts/get', { name: 'p' })).toMatchObject(failed)
})

it('a list that its worker took with it says so', async () => {
  await using stage = await startStage((registry) => registry.shutdown().then(() => new Promise(() => {})))
  expect(await stage.ask('resources/list')).toMatchObject({
    code: -32603,
    message: `${skillsFunctions.resourcesList.id} was interrupted, because its worker went away. The outcome is unknown. It was not called again.`,
  })
})
