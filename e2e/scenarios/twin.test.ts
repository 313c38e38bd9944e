import { afterAll, beforeAll, expect } from 'vitest'
import { type Child, type ChildOptions, startChild } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { ask } from '../facts.ts'
import { bridgeProgram, skillsProgram } from '../programs.ts'
import { openSession, postRequest } from '../raw-client.ts'
import { scenario } from '../scenario.ts'
import { type Stack, startStack } from '../stack.ts'
import { type Asked, askSteadily } from '../steady.ts'
import { until } from '../until.ts'

/** Everything is back within a second; the rest is for a busy machine. */
const BACK_MS = 5_000
const SECOND = 1_000
/** A busy machine may spoil one measurement; it does not spoil all of them. */
const ATTEMPTS = 4
/** What waits for somebody who has gone waits for much longer than this. */
const HANGS_MS = 5_000

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

/** The older process serves, a newer one comes and is killed, and somebody asks all the time. */
async function askThroughout<T>(name: 'mcp' | 'skills', askOnce: () => Promise<T>) {
  const older = stack.children.get(name)
  const [program, functionId] =
    name === 'mcp'
      ? ([bridgeProgram(stack.engineUrl), 'mcp::handler'] as const)
      : ([skillsProgram(stack.engineUrl), 'skills::list'] as const)
  const owner = await ownerOf(functionId)
  const said = (pattern: RegExp) => older?.stderr.filter((line) => pattern.test(line)).length ?? 0
  const before = [said(STANDS_BY), said(SERVES_AGAIN)].map((count) => count + 1)
  const steady = askSteadily(askOnce)
  await using newer = await startTwin(program, functionId, older)
  await until(() => said(STANDS_BY) >= (before[0] ?? 0), { what: 'the older process to notice' })
  await kill(newer)
  const goneAt = performance.now()
  await until(async () => (await ownerOf(functionId)) === owner, { what: 'the older process', deadlineMs: BACK_MS })
  await until(() => said(SERVES_AGAIN) >= (before[1] ?? 0), { what: 'it to say so', deadlineMs: BACK_MS })
  await askOnce()
  const asked = await steady.stop()
  expect([said(STANDS_BY), said(SERVES_AGAIN)]).toEqual(before)
  expect(asked.filter(({ tookMs }) => tookMs > HANGS_MS)).toEqual([])
  return { asked, goneAt }
}

/** How long nobody served, as those saw it who asked. */
function toGapMs<T>(asked: readonly Asked<T>[], goneAt: number, isGood: (answer: T) => boolean): number {
  const good = asked.filter(({ beganAt, answer }) => beganAt >= goneAt && isGood(answer))
  return Math.min(...good.map(({ beganAt, tookMs }) => beganAt + tookMs)) - goneAt
}

async function measureGap(measureOnce: () => Promise<number>): Promise<void> {
  const gaps: number[] = []
  do gaps.push(await measureOnce())
  while (Math.min(...gaps) > SECOND && gaps.length < ATTEMPTS)
  expect(Math.min(...gaps)).toBeLessThanOrEqual(SECOND)
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
      const { asked, goneAt } = await askThroughout('mcp', list)
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
      const { asked, goneAt } = await askThroughout('skills', both)
      return toGapMs(asked, goneAt, (isGood) => isGood)
    })
  },
)
