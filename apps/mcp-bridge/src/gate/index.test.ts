import { startMockEngine } from '@iii/mock-engine'
import type { Via } from '@iii/protocol'
import { createLog, registerWorker, type Worker } from '@iii/sdk'
import { describe, expect, it } from 'vitest'
import { EVERYBODY } from '../auth/principal.ts'
import { untilAnswer } from '../testing/until.ts'
import { createDirectory } from './directory.ts'
import { createGate, type Denial, type Pass } from './index.ts'
import { createSight } from './sight.ts'

const log = createLog({ name: 'mcp', level: 'silent' })
const rules = () => ({ requireExpose: true, exposeAll: false, tier: undefined, hiddenPrefixes: [] })

function gateOn(engine: Worker, freshMs?: number, timeoutMs = 2_000) {
  const directory = createDirectory(engine, timeoutMs, createSight())
  return createGate({ engine, directory, rules, onLearned: () => undefined, ...(freshMs && { freshMs }) })
}

async function reason(asked: Promise<Pass | Denial>): Promise<string> {
  const verdict = await asked
  return verdict.allowed ? 'allowed' : verdict.reason
}

/** What the gate knows now is older than a gate bears that keeps it for a millisecond. */
async function untilOld(): Promise<void> {
  const since = performance.now()
  await untilAnswer(
    () => performance.now() - since,
    (ms) => ms > 1,
  )
}

describe('the gate', () => {
  it('follows a change of metadata, which no event tells', async () => {
    await using engine = await startMockEngine()
    await using worker = registerWorker(engine.url, { name: 'orders', log })
    const gate = gateOn(worker, 1)
    const offer = (expose: boolean) =>
      worker.registerFunction('orders::get', () => 1, { metadata: { mcp: { expose } } })
    const shown = offer(true)
    await worker.ready()
    expect(await reason(gate.admit('orders::get', 'tool', EVERYBODY))).toBe('allowed')
    shown.unregister()
    offer(false)
    await worker.ready()
    await untilOld()
    expect(await reason(gate.admit('orders::get', 'tool', EVERYBODY))).toBe('not_exposed')
  })

  it('judges by the rules of the moment what it has judged before', async () => {
    await using engine = await startMockEngine()
    await using worker = registerWorker(engine.url, { name: 'orders', log })
    worker.registerFunction('orders::get', () => 1, { metadata: { mcp: { expose: true } } })
    await worker.ready()
    const [open, shut] = [rules(), { ...rules(), hiddenPrefixes: ['orders::'] }]
    let now: ReturnType<typeof rules> | typeof shut = open
    const directory = createDirectory(worker, 2_000, createSight())
    const gate = createGate({ engine: worker, directory, rules: () => now, onLearned: () => undefined })
    const seen: string[] = []
    for (const then of [open, open, shut, shut, open]) {
      now = then
      seen.push(await reason(gate.admit('orders::get', 'tool', EVERYBODY)))
    }
    expect(seen).toEqual(['allowed', 'allowed', 'disabled', 'disabled', 'allowed'])
  })

  it('asks the engine at most once a second for a busy function, and once for many at the same time', async () => {
    await using engine = await startMockEngine()
    await using worker = registerWorker(engine.url, { name: 'orders', log })
    worker.registerFunction('orders::get', () => 1, { metadata: { mcp: { expose: true } } })
    await worker.ready()
    let asked = 0
    const directory = createDirectory(worker, 2_000, createSight())
    const counting = {
      ...directory,
      describe: (ids: readonly string[]) => {
        asked += 1
        return directory.describe(ids)
      },
    }
    const gate = createGate({ engine: worker, directory: counting, rules, onLearned: () => undefined })
    await Promise.all(Array.from({ length: 50 }, () => gate.admit('orders::get', 'tool', EVERYBODY)))
    for (let i = 0; i < 50; i++) await gate.admit('orders::get', 'tool', EVERYBODY)
    expect(asked).toBe(1)
  })

  it('does not let a call pass by what it knew when it gave the pass, once that is old', async () => {
    await using engine = await startMockEngine()
    await using worker = registerWorker(engine.url, { name: 'orders', log })
    const ran: unknown[] = []
    const offer = (expose: boolean) =>
      worker.registerFunction('orders::get', (input) => ran.push(input), { metadata: { mcp: { expose } } })
    const shown = offer(true)
    await worker.ready()
    const pass = await gateOn(worker, 1).admit('orders::get', 'tool', EVERYBODY)
    if (!pass.allowed) throw new Error(pass.message)
    const options = { principal: EVERYBODY, timeoutMs: 2_000, metadata: undefined, signal: undefined }
    await untilOld()
    await pass.call('shown', options)
    shown.unregister()
    offer(false)
    await worker.ready()
    await untilOld()
    await expect(pass.renew(EVERYBODY)).rejects.toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining('is not exposed'),
    })
    await expect(pass.call('hidden', options)).rejects.toThrow('is not exposed')
    expect(ran).toEqual(['shown'])
  })

  it('does not let a call pass any more when the engine has fallen silent', async () => {
    let isSilent = false
    const mute = {
      trigger: async () => {
        if (isSilent) throw new Error('TIMEOUT')
        return { functions: [{ function_id: 'orders::get', metadata: { mcp: { expose: true } } }] }
      },
    } as unknown as Worker
    const pass = await gateOn(mute, 1).admit('orders::get', 'tool', EVERYBODY)
    isSilent = true
    await untilOld()
    await expect(pass.allowed && pass.renew(EVERYBODY)).rejects.toMatchObject({ code: 'unavailable' })
  })

  it('asks anew for whoever comes when the question that is under way is old already', async () => {
    const answers: ((shown: boolean) => void)[] = []
    const slow = {
      trigger: () =>
        new Promise((resolve) => {
          answers.push((expose) =>
            resolve({ functions: [{ function_id: 'orders::get', metadata: { mcp: { expose } } }] }),
          )
        }),
    } as unknown as Worker
    const gate = gateOn(slow, 1)
    const first = reason(gate.admit('orders::get', 'tool', EVERYBODY))
    await untilOld()
    const second = reason(gate.admit('orders::get', 'tool', EVERYBODY))
    answers[1]?.(false)
    answers[0]?.(true)
    expect([await first, await second]).toEqual(['allowed', 'not_exposed'])
  })

  it('does not remember that a function was missing', async () => {
    await using engine = await startMockEngine()
    await using worker = registerWorker(engine.url, { name: 'orders', log })
    const gate = gateOn(worker)
    expect(await reason(gate.admit('orders::get', 'tool', EVERYBODY))).toBe('unknown')
    worker.registerFunction('orders::get', () => 1, { metadata: { mcp: { expose: true } } })
    await worker.ready()
    expect(await reason(gate.admit('orders::get', 'tool', EVERYBODY))).toBe('allowed')
  })

  it('stays shut when the engine does not answer', async () => {
    const mute = { trigger: () => Promise.reject(new Error('TIMEOUT')) } as unknown as Worker
    const verdict = await gateOn(mute).admit('orders::get', 'tool', EVERYBODY)
    expect(verdict).toEqual({
      allowed: false,
      reason: 'unverified',
      message:
        "Function 'orders::get' exposure could not be verified (the engine did not answer); the call was not made",
    })
  })

  it.each<[string, Via]>([
    ['state::set', 'tool'],
    ['skills::register', 'section'],
    ['iii-x::y', 'prompt'],
  ])('does not even ask about %s', async (id, via) => {
    const mute = { trigger: () => Promise.reject(new Error('asked')) } as unknown as Worker
    expect(await reason(gateOn(mute).admit(id, via, EVERYBODY))).toBe('internal')
  })

  it('judges many at once, unknown ones by their id', async () => {
    await using engine = await startMockEngine()
    await using worker = registerWorker(engine.url, { name: 'orders', log })
    worker.registerFunction('p::shown', () => 1)
    worker.registerFunction('p::internal', () => 1, { metadata: { internal: true } })
    await worker.ready()
    const verdicts = await gateOn(worker).judge(
      ['p::shown', 'p::internal', 'p::gone', 'state::get'],
      'prompt',
      EVERYBODY,
    )
    expect([...verdicts].map(([id, denial]) => [id, denial?.reason])).toEqual([
      ['p::shown', undefined],
      ['p::internal', 'internal'],
      ['p::gone', undefined],
      ['state::get', 'internal'],
    ])
  })
})
