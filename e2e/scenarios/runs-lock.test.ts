import { afterAll, beforeAll, expect } from 'vitest'
import { type Child, startChild } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { contenderProgram } from '../programs.ts'
import { scenario } from '../scenario.ts'
import { type Stack, startStack } from '../stack.ts'
import { until } from '../until.ts'

const PROCESSES = 20
const TRIES = 50
/** The same protocol, in less time. */
const QUICK = { beatEveryMs: 100, confirmedForMs: 100, deadAfterMs: 1000, lookEveryMs: 50, callTimeoutMs: 5000 }

const cleanup = createCleanup()
let stack: Stack

beforeAll(async () => {
  stack = cleanup.use(await startStack({ workers: [] }))
})
afterAll(() => cleanup.run())

function start(mode: 'try' | 'hold', lock: string, rounds = 1): Child {
  const timings = mode === 'hold' ? QUICK : {}
  return cleanup.use(startChild(contenderProgram(stack.engineUrl, { mode, lock, rounds, timings })))
}

async function readLock(lock: string): Promise<Record<string, unknown>> {
  return await stack.worker.trigger({ function_id: 'state::get', payload: { scope: 'runs-locks', key: lock } })
}

scenario(['runs/one-holder'], 'twenty processes that try fifty times each never hold a lock together', async () => {
  const contenders = Array.from({ length: PROCESSES }, () => start('try', 'e2e-many', TRIES))
  const told = await Promise.all(contenders.map((child) => child.line(/^\{.*\}$/, 60_000)))
  const results = told.map(([line]) => JSON.parse(line) as { taken: number; most: number })
  const taken = results.reduce((sum, result) => sum + result.taken, 0)
  expect(Math.max(...results.map(({ most }) => most))).toBe(1)
  expect(taken).toBeGreaterThanOrEqual(PROCESSES)
  const row = await readLock('e2e-many')
  expect(Object.keys(row).sort()).toEqual([`c${taken - 1}`, `c${taken}`, `e${taken - 1}`, `e${taken}`].sort())
})

scenario(['runs/dead-holder'], 'a holder that was killed is succeeded by who waits', async () => {
  const first = start('hold', 'e2e-dead')
  expect((await first.line(/^held (\d+)$/))[1]).toBe('1')
  const second = start('hold', 'e2e-dead')
  first.signal('SIGKILL')
  expect((await second.line(/^held (\d+)$/))[1]).toBe('2')
})

scenario(
  ['runs/frozen-holder'],
  'a frozen holder keeps its lock until somebody unlocks it, and knows it when it wakes up',
  async () => {
    const first = start('hold', 'e2e-frozen')
    await first.line(/^held 1$/)
    first.signal('SIGSTOP')
    const second = start('hold', 'e2e-frozen')
    const claims = async () => ((await readLock('e2e-frozen'))['c1'] as { token: string; holder: string }[])[0]
    const claim = await claims()
    expect(second.stdout).toEqual([])
    const ops = [{ type: 'set', path: 'e1', value: claim?.token }]
    await stack.worker.trigger({
      function_id: 'state::update',
      payload: { scope: 'runs-locks', key: 'e2e-frozen', ops },
    })
    await second.line(/^held 2$/)
    first.signal('SIGCONT')
    await first.line(/^lost$/)
    await until(() => second.running, { what: 'the second to go on' })
    expect(second.stdout).toEqual(['held 2'])
  },
)
