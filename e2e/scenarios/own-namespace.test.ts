import { randomUUID } from 'node:crypto'
import type { Worker } from '@iii/sdk'
import { afterAll, beforeAll, expect } from 'vitest'
import { startChild } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { connectToEngine, hasNamespaces, requestOnce } from '../facts.ts'
import { bridgeProgram } from '../programs.ts'
import { scenario } from '../scenario.ts'
import { type Stack, startStack } from '../stack.ts'
import { createTwins } from '../twins.ts'
import { until } from '../until.ts'

const OWN = 'shop-1'
const FLAGS = ['--namespace', OWN]

const cleanup = createCleanup()
let stack: Stack
/** In the namespace of the bridge and the registry. */
let resident: Worker

beforeAll(async () => {
  stack = cleanup.use(await startStack({ workers: ['skills', 'bridge'], bridgeFlags: FLAGS, skillsFlags: FLAGS }))
  resident = cleanup.use(connectToEngine(stack.engineUrl, 'resident', OWN))
  resident.registerFunction('goods::here', () => `in ${OWN}`)
  stack.worker.registerFunction('goods::elsewhere', () => 'in default')
  await Promise.all([resident.ready(), stack.worker.ready()])
})
afterAll(() => cleanup.run())

const toolsAt = async (url: string) => JSON.stringify(await requestOnce(url, 'tools/list'))

scenario(
  ['namespaces/own'],
  'a bridge and a registry in a namespace serve what is there over HTTP, tell of changes and keep rows of their own',
  async () => {
    await using client = await stack.connect('client 2.x')
    await until(async () => (await toolsAt(stack.mcpUrl)).includes('goods__here'), {
      what: 'the tool of the namespace',
    })
    const isApart = await hasNamespaces(stack.worker)
    expect((await toolsAt(stack.mcpUrl)).includes('goods__elsewhere')).toBe(!isApart)
    expect((await client.callTool('goods__here')).content).toEqual([{ type: 'text', text: `in ${OWN}` }])

    const heard: unknown[] = []
    const listener = resident.registerFunction('goods::heard', (change) => void heard.push(change))
    const subscription = resident.registerTrigger({ type: 'skills::on-change', function_id: 'goods::heard' })
    await resident.ready()
    await resident.trigger({ function_id: 'skills::register', payload: { id: 'local', skill: '# Local' } })
    await until(() => heard.length > 0, { what: 'the change' })
    expect((await client.readResource('iii://local'))[0]?.text).toBe('# Local')
    const { groups } = await resident.trigger<{ groups: string[] }>({ function_id: 'state::list_groups' })
    expect(groups).toContain(`skills@${OWN}`)
    for (const { unregister } of [listener, subscription]) unregister()
  },
)

scenario(['namespaces/own'], 'of two bridges in a namespace one takes over from the other', async () => {
  await using client = await stack.connect('client 2.x')
  await using bridges = createTwins(stack, 'mcp', { flags: FLAGS, namespace: OWN })
  const { serving } = await bridges.add()
  expect(await client.ping()).toEqual({})
  await bridges.kill()
  expect((await bridges.takesOver()).child).not.toBe(serving)
  expect(await client.ping()).toEqual({})
})

scenario(['namespaces/own'], 'settings that are stored count for a bridge in a namespace', async () => {
  const id = `e2e-own-${randomUUID()}`
  const args = ['--no-stdio', '--api-path', '/goods', ...FLAGS]
  await using _bridge = startChild({
    ...bridgeProgram(stack.engineUrl),
    args,
    env: { III_WORKER_NAME: 'mcp', III_URL: stack.engineUrl, III_CONFIG_NAME: id },
  })
  const url = `${stack.httpUrl}/goods`
  await until(async () => (await toolsAt(url)).includes('goods__here'), { what: 'the bridge to serve' })
  const value = { hidden_prefixes: ['goods::'] }
  const store = () => stack.worker.trigger({ function_id: 'configuration::set', payload: { id, value } })
  await until(async () => (await store()) !== undefined, { what: 'its entry' })
  await until(async () => !(await toolsAt(url)).includes('goods__here'), { what: 'the setting to count' })
})
