import { afterAll, beforeAll, expect } from 'vitest'
import { type Child, type ChildOptions, startChild } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { ask } from '../facts.ts'
import { bridgeProgram, skillsProgram } from '../programs.ts'
import { scenario } from '../scenario.ts'
import { type Stack, startStack } from '../stack.ts'
import { until } from '../until.ts'

/** Everything is back within a second; the rest is for a busy machine. */
const BACK_MS = 5_000

const RUNS_TWICE = /runs more than once on this engine/
const STANDS_BY = /after this process and gets the calls now/
const SERVES_AGAIN = /this process serves again/

const cleanup = createCleanup()
let stack: Stack

beforeAll(async () => {
  stack = cleanup.use(await startStack({ workers: ['skills', 'bridge'] }))
})
afterAll(() => cleanup.run())

/** The nonce of the process that a function belongs to. */
async function ownerOf(functionId: string): Promise<unknown> {
  const { metadata } = await stack.worker.trigger<{ metadata: Record<string, unknown> }>({
    function_id: 'engine::functions::info',
    payload: { function_id: functionId },
  })
  return metadata['iii.instance']
}

/** Starts one more process of a worker; resolves when the function is its own and `older` has noticed. */
async function startTwin(program: ChildOptions, functionId: string, older: Child | undefined): Promise<Child> {
  const owner = await ownerOf(functionId)
  const noticed = older?.line(STANDS_BY)
  const twin = startChild(program)
  await until(async () => (await ownerOf(functionId)) !== owner, { what: `${program.name} to be taken over` })
  await noticed
  return twin
}

async function kill(child: Child): Promise<void> {
  child.signal('SIGKILL')
  await child.exited
}

const answers = (what: string) =>
  until(async () => (await ask(stack.mcpUrl, 'ping')) !== undefined, { what, deadlineMs: BACK_MS })

const registerSkill = (id: string) =>
  stack.worker.trigger({ function_id: 'skills::register', payload: { id, skill: `# ${id}` } })

scenario(
  ['twin/newer-serves', 'twin/older-returns'],
  'of two bridges the newer one serves, both say so, and the older one goes on with the sessions when it is killed',
  async () => {
    await using client = await stack.connect('sdk 1.x')
    const older = stack.children.get('mcp')
    await using newer = await startTwin(bridgeProgram(stack.engineUrl), 'mcp::handler', older)
    await newer.line(RUNS_TWICE)
    expect(await client.ping()).toEqual({})
    await using late = await stack.connect('client 2.x')
    await kill(newer)
    await answers('the older bridge to serve')
    await older?.line(SERVES_AGAIN)
    expect(await client.ping()).toEqual({})
    expect(await late.listResources()).toEqual(await client.listResources())
  },
)

scenario(
  ['twin/older-returns'],
  'of three bridges one serves each time that the newest is killed, and the last one still does',
  async () => {
    const first = stack.children.get('mcp')
    const owner = await ownerOf('mcp::handler')
    await using second = await startTwin(bridgeProgram(stack.engineUrl), 'mcp::handler', first)
    await using third = await startTwin(bridgeProgram(stack.engineUrl), 'mcp::handler', second)
    await kill(third)
    await answers('one of two bridges to serve')
    await kill(second)
    await answers('the last bridge to serve')
    expect(await ownerOf('mcp::handler')).toBe(owner)
  },
)

scenario(
  ['twin/newer-serves', 'twin/older-returns'],
  'of two registries the newer one serves, both say so, and nothing is lost when it is killed',
  async () => {
    await using client = await stack.connect('client 2.x')
    const heard: unknown[] = []
    const listener = stack.worker.registerFunction('test::heard', (change: { id?: unknown }) => {
      heard.push(change.id)
      return {}
    })
    const subscription = stack.worker.registerTrigger({ type: 'skills::on-change', function_id: 'test::heard' })
    await registerSkill('before')
    const older = stack.children.get('skills')
    await using newer = await startTwin(skillsProgram(stack.engineUrl), 'skills::register', older)
    await newer.line(RUNS_TWICE)
    await registerSkill('meanwhile')
    await until(() => heard.includes('meanwhile'), { what: 'the change made through the newer registry' })
    await kill(newer)
    const listsAll = async () => {
      const uris = (await client.listResources()).map(({ uri }) => uri)
      return ['iii://before', 'iii://meanwhile'].every((uri) => uris.includes(uri))
    }
    await until(listsAll, { what: 'the older registry to list everything', deadlineMs: BACK_MS })
    await older?.line(SERVES_AGAIN)
    await registerSkill('after')
    await until(() => heard.includes('after'), { what: 'the change made through the older registry' })
    expect((await client.readResource('iii://meanwhile'))[0]?.text).toBe('# meanwhile')
    subscription.unregister()
    listener.unregister()
  },
)
