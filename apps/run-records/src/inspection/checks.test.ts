import { InvocationError } from '@iii/sdk'
import { expect, it } from 'vitest'
import { DEFAULTS } from '../testing/run-stage.ts'
import { examine, type Symptoms } from './checks.ts'

const held = (isGone: boolean) => ({ run: 'r-of-bob', holder: 'runs::b', isGone })

const store = (runs: number, calls: number) => ({
  runs: { entries: 17, bytes: runs * 2 ** 20 },
  calls: { entries: 4711, bytes: calls * 2 ** 20 },
})

async function findTexts(tellsOfOthers: boolean, isGone: boolean, change: Partial<Symptoms> = {}): Promise<string> {
  const symptoms: Symptoms = {
    options: DEFAULTS,
    tellsOfOthers,
    state: async () => 'file',
    store: async () => store(1, 1),
    unreadableRuns: async () => [],
    staleRuns: async () => [],
    locks: async () => [{ name: 'default', held: held(isGone) }],
    jobs: async () => [],
    schedules: async () => ({ bound: [], unbound: [] }),
    tellsOfCalls: async () => true,
    mayRun: async () => false,
    openAddress: async () => undefined,
    ...change,
  }
  const checks = await examine(symptoms)
  return checks.map(({ check, summary, advice }) => [`${check}: ${summary}`, ...advice].join('\n')).join('\n')
}

it.each([false, true])(
  'who may not know of others is told of their lock and not of their runs (gone: %s)',
  async (isGone) => {
    const [all, own] = [await findTexts(true, isGone), await findTexts(false, isGone)]
    for (const word of ['r-of-bob', '4711', '17 of'])
      expect([word, all.includes(word), own.includes(word)]).toEqual([word, true, false])
    expect(own).toMatch(isGone ? /held by processes that are gone: default$/m : /held: default; looked at default$/m)
  },
)

it('says that a run has to wait for the lock of a process that is gone: one that does not is refused', async () => {
  expect(await findTexts(true, true)).toContain('a run that waits takes them over: `iii-runs run JOB --wait 20`')
})

it('says how many jobs can be run, so that who left out the file with the jobs sees it', async () => {
  expect(await findTexts(true, true)).toContain('jobs: no job is known: the file that --config names declares them')
  expect(await findTexts(true, true, { jobs: async () => [{ name: 'a' }] })).toContain('jobs: can be run: 1 job')
  const broken = { name: 'b', problem: 'it lacks all' }
  const text = await findTexts(true, true, { jobs: async () => [{ name: 'a' }, broken] })
  expect(text).toContain('jobs: cannot be run: b\nit lacks all')
})

it('names jobs with a schedule that the clock of the engine does not run', async () => {
  const find = (bound: string[], unbound: string[]) =>
    findTexts(true, true, { schedules: async () => ({ bound, unbound }) })
  expect(await find(['a'], ['b'])).toMatch(/schedules: the clock of the engine does not run: b\nstart the worker runs/)
  expect(await find(['a', 'b'], [])).toContain('schedules: the clock of the engine runs: a, b')
})

it('says of which too much is kept, runs or calls: each may have keep.bytes', async () => {
  const find = (runs: number, calls: number) => findTexts(true, true, { store: async () => store(runs, calls) })
  expect(await find(40, 30)).toMatch(
    /retention: 17 of 500 runs \(40\.0 of 64\.0 MiB\), 4711 of 5000 calls \(30\.0 of 64\.0 MiB\)$/m,
  )
  expect(await find(63, 30)).toMatch(/MiB\): old runs go before their time$/m)
  expect(await find(40, 63)).toMatch(/MiB\): old calls go before their time$/m)
})

it('says of an engine without state once what to add to it', async () => {
  const missing = new InvocationError('function_not_found', 'Function state::get not found', 'state::get')
  const fail = () => Promise.reject(missing)
  const text = await findTexts(true, false, { store: fail, locks: fail, staleRuns: fail, unreadableRuns: fail })
  expect(text.split('\n')).toEqual([
    'state: the engine keeps no state: add the worker iii-state to its configuration',
    ...['records', 'stale runs', 'locks'].map((check) => `${check}: needs engine state`),
    expect.stringMatching(/^jobs: /),
    'schedules: no job has a schedule',
    expect.stringMatching(/^calls: /),
    'retention: needs engine state',
    expect.stringMatching(/^running: /),
  ])
})
