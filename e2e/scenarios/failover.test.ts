import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createLog, registerWorker } from '@iii/sdk'
import { afterAll, beforeAll, expect } from 'vitest'
import { type Child, type ChildOptions, runToEnd } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { hasNamespaces, requestOnce } from '../facts.ts'
import { bridgeProgram, mcpClientProgram, runsProgram, skillsProgram } from '../programs.ts'
import { scenario } from '../scenario.ts'
import { startCrowd } from '../soak/crowd.ts'
import { findGrowth } from '../soak/judge.ts'
import { soak } from '../soak/soak.ts'
import { createTempFolder, type Stack, startStack } from '../stack.ts'
import { askSteadily } from '../steady.ts'
import { type Pair, type Player, startPair } from '../understudy.ts'
import { until } from '../until.ts'

const SECOND = 1_000
/** A busy machine may spoil one measurement; it does not spoil all of them. */
const ATTEMPTS = 5
const WITHIN = { deadlineMs: 15_000 }
const SAYS_WHY = /has not answered since \S+Z; this process stands by and .*End that process \(pid \d+ on /
const TAKES_OVER = /has not answered since \S+Z; this process takes over/

const cleanup = createCleanup()
let stack: Stack
/** Does the engine keep what a process has registered for as long as it is connected? */
let keeps: boolean
/** Of workers that need none of what it could say. */
let config: string

beforeAll(async () => {
  stack = cleanup.use(await startStack({ workers: [] }))
  await stack.worker.ready()
  keeps = await hasNamespaces(stack.worker)
  const folder = cleanup.use(await createTempFolder())
  config = join(folder.path, 'config.yaml')
  await writeFile(config, '{}\n')
})
afterAll(() => cleanup.run())

interface Kind {
  readonly functionId: string
  program(engineUrl: string): ChildOptions
  /** The check of its doctor that tells whether it does. */
  readonly doctor?: string
  /** Whether it answers, as whoever uses it asks. */
  answers(): Promise<boolean>
}

const answersCall = (function_id: string, payload: object = {}) =>
  stack.worker.trigger({ function_id, payload, timeoutMs: SECOND }).then(
    () => true,
    () => false,
  )

const KINDS: Readonly<Record<'bridge' | 'registry' | 'runs' | 'mcp-client', Kind>> = {
  bridge: {
    functionId: 'mcp::handler',
    program: bridgeProgram,
    doctor: 'route',
    answers: async () => (await requestOnce(stack.mcpUrl, 'ping', {}, SECOND).catch(() => undefined)) !== undefined,
  },
  registry: {
    functionId: 'skills::list',
    program: skillsProgram,
    doctor: 'registry',
    answers: () => answersCall('skills::list'),
  },
  runs: {
    functionId: 'runs::list_runs',
    program: (url) => runsProgram(url, ['--config', config]),
    answers: () => answersCall('runs::list_runs'),
  },
  'mcp-client': {
    functionId: 'mcp-client::status',
    program: (url) => mcpClientProgram(url, ['--config', config]),
    answers: () => answersCall('mcp-client::status'),
  },
}

const ENDINGS: Readonly<Record<'killed' | 'stopped', (owner: Player) => void>> = {
  killed: ({ child }) => child.signal('SIGKILL'),
  stopped: ({ child }) => child.signal('SIGTERM'),
}

const SILENCES: Readonly<Record<'frozen' | 'cut off without a word', (owner: Player) => void>> = {
  frozen: ({ child }) => child.signal('SIGSTOP'),
  'cut off without a word': ({ cable }) => cable.swallow(),
}

/** How long nobody answered, as those saw it who asked all the time; the shortest of some tries. */
async function measureGap(kind: Kind, end: (owner: Player) => void): Promise<number> {
  let shortest = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < ATTEMPTS && shortest > SECOND; attempt++) {
    await using pair = await startPair(stack, kind.functionId, kind.program)
    const steady = askSteadily(kind.answers)
    const goneAt = performance.now()
    end(pair.owner)
    await until(() => serves(pair.standby.child), { what: 'the other one to serve', ...WITHIN })
    await until(kind.answers, { what: 'it to answer', ...WITHIN })
    const asked = await steady.stop()
    const good = asked.filter(({ beganAt, answer }) => beganAt >= goneAt && answer)
    shortest = Math.min(shortest, ...good.map(({ beganAt, tookMs }) => beganAt + tookMs - goneAt))
  }
  return shortest
}

const said = ({ stderr }: Child, pattern: RegExp) => stderr.filter((line) => pattern.test(line)).length
const serves = (child: Child) => said(child, /this process serves (?:again|now)/) > 0

for (const name of ['bridge', 'registry', 'runs', 'mcp-client'] as const) {
  for (const [how, end] of Object.entries(ENDINGS)) {
    scenario(
      ['failover/gone'],
      `when the ${name} that serves is ${how}, the other one serves within a second`,
      async () => {
        expect(await measureGap(KINDS[name], end)).toBeLessThanOrEqual(SECOND)
      },
    )
  }
}

/** The one that stands by says once why it does not serve, and serves when the other one is ended as it says. */
async function expectReason(kind: Kind, { owner, standby }: Pair, fall: (owner: Player) => void): Promise<void> {
  fall(owner)
  await standby.child.line(SAYS_WHY, WITHIN.deadlineMs)
  const [, pid] = await standby.child.line(/End that process \(pid (\d+) on /)
  expect(Number(pid)).toBe(owner.child.pid)
  expect([said(standby.child, SAYS_WHY), serves(standby.child)]).toEqual([1, false])
  if (kind.doctor !== undefined) {
    const { name, entry } = kind.program('')
    const { code, stdout } = await runToEnd({ name, entry, args: ['doctor', '--json', '--url', stack.engineUrl] })
    const { checks } = JSON.parse(stdout) as { checks: { check: string; summary: string }[] }
    expect(code).toBe(1)
    expect(checks.find(({ check }) => check === kind.doctor)?.summary).toMatch(
      /is connected and has not answered within/,
    )
  }
  owner.child.signal('SIGKILL')
  await owner.child.exited
  await owner.cable[Symbol.asyncDispose]()
  await until(() => serves(standby.child), { what: 'the other one to serve', ...WITHIN })
  await until(kind.answers, { what: 'it to answer', ...WITHIN })
}

for (const name of ['bridge', 'registry', 'runs'] as const) {
  for (const [how, fall] of Object.entries(SILENCES)) {
    scenario(
      ['failover/silent'],
      `when the ${name} that serves is ${how}, the other one serves, or says why not`,
      async () => {
        if (!keeps) return expect(await measureGap(KINDS[name], fall)).toBeLessThanOrEqual(SECOND)
        await using pair = await startPair(stack, KINDS[name].functionId, KINDS[name].program)
        await expectReason(KINDS[name], pair, fall)
      },
    )
  }
}

scenario(
  ['failover/silent'],
  'a bridge that was frozen and goes on stands by where another one serves, and serves where it still has everything',
  async () => {
    await using pair = await startPair(stack, 'mcp::handler', bridgeProgram)
    const { owner, standby } = pair
    owner.child.signal('SIGSTOP')
    await standby.child.line(keeps ? SAYS_WHY : TAKES_OVER, WITHIN.deadlineMs)
    if (!keeps) await until(() => serves(standby.child), { what: 'the other one to serve', ...WITHIN })
    owner.child.signal('SIGCONT')
    await (keeps ? standby.child.line(/answers again/) : owner.child.line(/this process stands by/))
    await until(KINDS.bridge.answers, { what: 'one of them to answer', ...WITHIN })
    expect(serves(standby.child)).toBe(!keeps)
  },
)

scenario(
  ['failover/split'],
  'of two processes that have a part each, one has everything within two seconds',
  async () => {
    const ids = ['split::a', 'split::b', 'split::c', 'split::d']
    const connect = (who: string) => {
      const log = createLog({ name: who, level: 'silent' })
      const worker = cleanup.use(registerWorker(stack.engineUrl, { name: 'split', log, watchOwnership: true }))
      const offer = (id: string) => worker.registerFunction(id, () => ({ who }))
      return { worker, offer }
    }
    const [one, other] = [connect('one'), connect('other')]
    for (const [half, { offer, worker }] of [[ids.slice(0, 2), one] as const, [ids.slice(2), other] as const]) {
      for (const id of half) offer(id)
      await worker.ready()
    }
    for (const id of ids.slice(2)) one.offer(id)
    for (const id of ids.slice(0, 2)) other.offer(id)
    const bothAt = performance.now()
    await until(
      async () => {
        const answers = ids.map((function_id) => stack.worker.trigger<{ who: string }>({ function_id }))
        const states = [one, other].map(({ worker }) => worker.ownership.state).sort()
        return (
          new Set((await Promise.all(answers)).map(({ who }) => who)).size === 1 && `${states}` === 'serving,standby'
        )
      },
      { what: 'one to have everything', ...WITHIN },
    )
    expect(performance.now() - bothAt).toBeLessThan(2 * SECOND)
    await Promise.all([one.worker.shutdown(), other.worker.shutdown()])
  },
)

scenario(
  ['failover/servers'],
  'an mcp-client that waits its turn says that the earlier one does not answer, and takes nothing from it',
  async () => {
    const kind = KINDS['mcp-client']
    await using pair = await startPair(stack, kind.functionId, kind.program)
    await expectReason(kind, pair, SILENCES.frozen)
  },
)

scenario(
  ['failover/crowd'],
  'four bridges, two registries and commands with the environment of a worker disturb nobody',
  async () => {
    await using crowd = await startCrowd()
    const { samples, complaints } = await soak(crowd, async (rounds) => rounds < 2)
    expect([...complaints, ...findGrowth(samples)]).toEqual([])
  },
)
