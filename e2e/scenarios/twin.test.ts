import { afterAll, beforeAll, expect } from 'vitest'
import { createCleanup } from '../cleanup.ts'
import { hasNamespaces, requestOnce } from '../facts.ts'
import { measureBest } from '../measure-best.ts'
import { openSession, postRequest } from '../raw-client.ts'
import { scenario } from '../scenario.ts'
import { type Stack, startStack } from '../stack.ts'
import { askSteadily, type TimedAnswer } from '../steady.ts'
import { createTwins, type Twins } from '../twins.ts'
import { until } from '../until.ts'

/** Everything is back within a second; the rest is for a busy machine. */
const BACK_MS = 5_000
const SECOND = 1_000
/** What waits for somebody who has gone waits for much longer than this. */
const HANGS_MS = 5_000

const RUNS_TWICE = /runs more than once on this engine/
const HAS_ANOTHER_NAME = /has the name 'mcp' in namespace 'default' already; this process is 'mcp-/

const cleanup = createCleanup()
let stack: Stack
let bridges: Twins
let registries: Twins
/** Whether the engine leaves a function to the first that has it: as 0.23 does, and 0.22 does not. */
let keepsFirst: boolean

beforeAll(async () => {
  stack = cleanup.use(await startStack({ workers: ['skills', 'bridge'] }))
  bridges = cleanup.use(createTwins(stack, 'mcp'))
  registries = cleanup.use(createTwins(stack, 'skills'))
  keepsFirst = await hasNamespaces(stack.worker)
})
afterAll(() => cleanup.run())

/** Starts one more process of a worker, of which the right one serves. */
async function addTwin(twins: Twins) {
  const added = await twins.add()
  expect(added.serving === added.newer).toBe(!keepsFirst)
  if (!keepsFirst) await added.newer.line(RUNS_TWICE)
  return added
}

const answers = (what: string) =>
  until(async () => (await requestOnce(stack.mcpUrl, 'ping')) !== undefined, { what, deadlineMs: BACK_MS })

const registerSkill = (id: string) =>
  stack.worker.trigger({ function_id: 'skills::register', payload: { id, skill: `# ${id}` } })

scenario(
  ['twin/one-serves', 'twin/other-returns'],
  'of two bridges one serves, it is said which, and the other one goes on with the sessions when that one is killed',
  async () => {
    await using client = await stack.connect('sdk 1.x')
    const { newer, standing } = await addTwin(bridges)
    if (keepsFirst) await newer.line(HAS_ANOTHER_NAME)
    expect(await client.ping()).toEqual({})
    await using late = await stack.connect('client 2.x')
    await bridges.kill()
    await answers('the other bridge to serve')
    expect((await bridges.takesOver()).child).toBe(standing.child)
    expect(await client.ping()).toEqual({})
    expect(await late.listResources()).toEqual(await client.listResources())
  },
)

scenario(
  ['twin/other-returns'],
  'of three bridges one serves each time that the one that serves is killed, and the last one still does',
  async () => {
    await addTwin(bridges)
    await addTwin(bridges)
    await bridges.kill()
    await answers('one of two bridges to serve')
    await bridges.takesOver()
    await bridges.kill()
    await answers('the last bridge to serve')
    await bridges.takesOver()
  },
)

scenario(
  ['twin/one-serves', 'twin/other-returns'],
  'of two registries one serves, it is said which, and nothing is lost when that one is killed',
  async () => {
    await using client = await stack.connect('client 2.x')
    const heard: unknown[] = []
    const listener = stack.worker.registerFunction('test::heard', (change: { id?: unknown }) => {
      heard.push(change.id)
      return {}
    })
    const subscription = stack.worker.registerTrigger({ type: 'skills::on-change', function_id: 'test::heard' })
    await registerSkill('before')
    await addTwin(registries)
    await registerSkill('meanwhile')
    await until(() => heard.includes('meanwhile'), { what: 'the change made while there are two registries' })
    await registries.kill()
    const listsAll = async () => {
      const uris = (await client.listResources()).map(({ uri }) => uri)
      return ['iii://before', 'iii://meanwhile'].every((uri) => uris.includes(uri))
    }
    await until(listsAll, { what: 'the other registry to list everything', deadlineMs: BACK_MS })
    await registries.takesOver()
    await registerSkill('after')
    await until(() => heard.includes('after'), { what: 'the change made through the other registry' })
    expect((await client.readResource('iii://meanwhile'))[0]?.text).toBe('# meanwhile')
    subscription.unregister()
    listener.unregister()
  },
)

/** Another process comes, the one that serves is killed, and somebody asks all the time. */
async function askThroughout<T>(twins: Twins, askOnce: () => Promise<T>) {
  const steady = askSteadily(askOnce)
  const { standing } = await addTwin(twins)
  await twins.kill()
  const goneAt = performance.now()
  const back = await twins.takesOver()
  await askOnce()
  const asked = await steady.stop()
  expect(back).toEqual({ ...standing, servedAgain: standing.servedAgain + 1 })
  expect(asked.filter(({ tookMs }) => tookMs > HANGS_MS)).toEqual([])
  return { asked, goneAt }
}

/** How long nobody served, as those saw it who asked. */
function toGapMs<T>(asked: readonly TimedAnswer<T>[], goneAt: number, isGood: (answer: T) => boolean): number {
  const good = asked.filter(({ beganAt, answer }) => beganAt >= goneAt && isGood(answer))
  return Math.min(...good.map(({ beganAt, tookMs }) => beganAt + tookMs)) - goneAt
}

async function measureGap(measureOnce: () => Promise<number>): Promise<void> {
  expect(await measureBest(SECOND, measureOnce)).toBeLessThanOrEqual(SECOND)
}

scenario(
  ['twin/gap'],
  'a session outlives the coming and going of a second bridge: it is served again within a second, and no request hangs',
  async () => {
    const session = await openSession(stack.mcpUrl)
    const list = async () => {
      const reply = postRequest(stack.mcpUrl, session, 'tools/list')
      const [message] = await reply.over
      return { status: await reply.status, message }
    }
    await measureGap(async () => {
      const { asked, goneAt } = await askThroughout(bridges, list)
      // An MCP error would be one of a bridge; what the engine says while nobody serves is none.
      expect(asked.map(({ answer }) => answer.message?.error?.code).filter(Number.isInteger)).toEqual([])
      return toGapMs(asked, goneAt, ({ message }) => message?.result !== undefined)
    })
  },
)

scenario(
  ['twin/gap'],
  'while a second registry comes and goes, calls and reads fail at once or succeed, and succeed again within a second',
  async () => {
    await registerSkill('throughout')
    const session = await openSession(stack.mcpUrl)
    const read = async () => {
      const [message] = await postRequest(stack.mcpUrl, session, 'resources/read', { uri: 'iii://throughout' }).over
      return message?.result !== undefined
    }
    const call = () =>
      stack.worker.trigger({ function_id: 'skills::list', payload: {} }).then(
        () => true,
        () => false,
      )
    await measureGap(async () => {
      const both = async () => (await Promise.all([read(), call()])).every(Boolean)
      const { asked, goneAt } = await askThroughout(registries, both)
      return toGapMs(asked, goneAt, (isGood) => isGood)
    })
  },
)
