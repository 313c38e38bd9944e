import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isAbsent } from '@iii/sdk'
import { describe, expect, it } from 'vitest'
import { createAuthentication } from '../auth/authentication.ts'
import { seesAllRuns, type Way } from '../auth/decision.ts'
import { EVERYBODY, type Principal } from '../auth/principal.ts'
import { AuthBlock } from '../auth/settings/auth-block.ts'
import { toHolder } from '../testing/principals.ts'
import { createGate, type Denial, type Pass } from './index.ts'

const FUNCTIONS: Readonly<Record<string, unknown>> = {
  'orders::get': { 'mcp.tier': 'user' },
  'orders::refund': { 'mcp.tier': 'ops', 'mcp.annotations': { destructiveHint: true } },
  'orders::wipe': { 'mcp.tier': 'user', 'mcp.annotations': { destructiveHint: true } },
  'orders::own': { 'mcp.tier': 'user', 'mcp.expose': false, 'mcp.refusal': 'Not for you' },
  'orders::scoped': { 'mcp.tier': 'user', 'mcp.scopes': ['orders:write'] },
}

function startGate(freshMs = 1_000) {
  const asked: string[] = []
  const calls: object[] = []
  const directory = {
    list: async () => Object.entries(FUNCTIONS).map(([id, metadata]) => ({ id, metadata })),
    describe: async (ids: readonly string[]) => {
      asked.push(...ids)
      const known = ids.filter((id) => id in FUNCTIONS)
      return new Map(known.map((id) => [id, { ...NOTHING, id, metadata: FUNCTIONS[id] }]))
    },
  }
  const trigger = async (request: object) => {
    calls.push(request)
    return 'done'
  }
  const rules = () => ({ requireExpose: false, exposeAll: false, tier: undefined, hiddenPrefixes: ['secret'] })
  const engine = { trigger } as never
  return { gate: createGate({ engine, directory, rules, onLearned: () => undefined, freshMs }), asked, calls }
}

const NOTHING = { description: undefined, requestSchema: undefined, responseSchema: undefined }
const user = toHolder('user', { tiers: ['user'] })

function told(seen: Pass | Denial): string {
  return seen.allowed ? 'allowed' : `${seen.reason}: ${seen.message}`
}

describe('the gate, for somebody who has a grant', () => {
  it.each<[string, Way]>([
    ['orders::refund', 'tool'],
    ['orders::refund', 'section'],
    ['orders::own', 'tool'],
    ['orders::scoped', 'tool'],
    ['state::get', 'tool'],
    ['state::get', 'section'],
    ['secret::x', 'prompt'],
  ])(
    'says of %s (%s) what it says of what nobody registered, after as many questions to the engine',
    async (id, way) => {
      const { gate, asked } = startGate()
      for (const _ of [1, 2]) {
        const before = asked.length
        const seen = await gate.admit(id, way, user)
        const cost = asked.length - before
        expect(told(seen).replaceAll(id, 'no::where')).toBe(told(await gate.admit('no::where', way, user)))
        expect(asked.length - before - cost).toBe(cost)
      }
    },
  )

  it.each(['orders::refund', 'orders::own', 'state::get', 'secret::x'])(
    'asks of %s, once it is known, what is answered as shortly as for what nobody registered',
    async (id) => {
      const { gate, asked } = startGate()
      await gate.admit(id, 'tool', user)
      asked.length = 0
      for (const _ of [1, 2, 3]) await gate.admit(id, 'tool', user)
      expect(asked).toHaveLength(3)
      expect(asked.filter((one) => one === id || one.length !== id.length || one in FUNCTIONS)).toEqual([])
    },
  )

  it('keeps the reason for the operator', async () => {
    const { gate } = startGate()
    const whyOf = async (id: string) => {
      const seen = await gate.admit(id, 'tool', user)
      return seen.allowed ? 'allowed' : seen.why
    }
    const reasons = await Promise.all(['orders::refund', 'orders::own', 'state::get', 'no::where'].map(whyOf))
    expect(reasons).toEqual(['grant', 'not_exposed', 'internal', undefined])
  })

  it('says why it does not read what it may call', async () => {
    const { gate } = startGate()
    const seen = await gate.admit('orders::wipe', 'section', user)
    expect(told(seen)).toMatch(/^acts: .*Call it as a tool: orders__wipe$/)
    expect((await gate.admit('orders::wipe', 'tool', user)).allowed).toBe(true)
  })

  it('judges many as it judges one', async () => {
    const { gate } = startGate()
    const ids = [...Object.keys(FUNCTIONS), 'no::where']
    const admitted = await Promise.all(ids.map(async (id) => (await gate.admit(id, 'tool', user)).allowed))
    const judged = await gate.judge(ids, 'tool', user)
    expect(ids.map((id) => judged.get(id) === undefined)).toEqual(admitted)
    expect(await gate.visible(ids, user)).toEqual(ids.filter((_, at) => admitted[at]))
  })

  it('shows no prompt of which it is not known which function is behind it', () => {
    const { gate } = startGate()
    expect([gate.judgeUnnamed('x', user)?.why, gate.judgeUnnamed('x', toHolder('all'))?.why]).toEqual([
      'grant',
      'grant',
    ])
  })

  it('holds each call to the grant as it is then, as if the function had gone', async () => {
    const { gate, calls } = startGate()
    let now: Principal | undefined = user
    const caller = toHolder('user', {}, { asOfNow: () => now })
    const pass = await gate.admit('orders::get', 'tool', caller)
    if (!pass.allowed) throw new Error(pass.message)
    const call = (principal: Principal) =>
      pass.call({}, { principal, timeoutMs: 1_000, metadata: undefined, signal: undefined }).then(
        () => 'called',
        (error: unknown) => (isAbsent(error, 'orders::get') ? 'not there' : String(error)),
      )
    expect(await call(caller)).toBe('called')
    expect(calls).toEqual([expect.not.objectContaining({ principal: expect.anything() })])
    now = toHolder('user', { tiers: ['dev'] })
    expect(await call(caller)).toBe('not there')
    now = undefined
    expect(await call(caller)).toBe('not there')
    expect(await call({ ...user, expiresAt: Date.now() - 1 })).toBe('not there')
    expect(await call(EVERYBODY)).toBe('called')
    expect(calls).toHaveLength(2)
  })
})

describe('the gate, for somebody whose rights are others than when the call began', () => {
  const offered = { grants: { user: { tiers: ['user'] } }, anonymous: { grant: 'user' } }
  const block = (own: object = {}) => AuthBlock.parse({ ...offered, ...own })
  const granted = block({ stdio: { grant: 'user' } })

  async function begin(before: ReturnType<typeof block> | undefined, functionId = 'orders::refund', freshMs?: number) {
    let settings = before
    const { everybody, admitAttached } = createAuthentication({ settings: () => settings })
    const admitted = before === undefined ? { kind: 'principal' as const, principal: everybody } : admitAttached()
    if (admitted.kind !== 'principal') throw new Error(admitted.kind)
    const { principal } = admitted
    const { gate, calls } = startGate(freshMs)
    const pass = await gate.admit(functionId, 'tool', principal)
    if (!pass.allowed) throw new Error(pass.message)
    return {
      ...{ gate, principal, calls },
      call: () => pass.call({}, { principal, timeoutMs: 1_000, metadata: undefined, signal: undefined }),
      become: (now: typeof settings) => {
        settings = now
      },
    }
  }

  it.each([
    ['its settings give it one', block(), granted],
    ['its settings ask who it is', undefined, block()],
  ])('hides what is not for it from when %s', async (_, before, now) => {
    for (const freshMs of [60_000, -1]) {
      const begun = await begin(before, 'orders::refund', freshMs)
      await begun.call()
      begun.become(now)
      await expect(begun.call()).rejects.toSatisfy((error) => isAbsent(error, 'orders::refund'))
      expect(begun.calls).toHaveLength(1)
      const { gate, principal } = begun
      expect(told(await gate.admit('orders::refund', 'tool', principal))).toMatch(/^unknown/)
      expect((await gate.judge(['orders::refund'], 'tool', principal)).get('orders::refund')?.why).toBe('grant')
      expect(await gate.visible(['orders::refund'], principal)).toEqual([])
      expect(gate.judgeUnnamed('x', principal)?.why).toBe('grant')
      expect(seesAllRuns(principal)).toBe(false)
    }
  })

  it('hides nothing more from when nobody is asked any more', async () => {
    const { gate, principal, become } = await begin(granted, 'orders::get')
    expect(told(await gate.admit('state::get', 'tool', principal))).toMatch(/^unknown/)
    become(undefined)
    expect(told(await gate.admit('state::get', 'tool', principal))).toMatch(/^internal/)
  })
})

it('keeps nothing of long names that clients make up', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const heapMiB = () => {
    collect()
    return process.memoryUsage().heapUsed / 1024 ** 2
  }
  const rules = { requireExpose: false, exposeAll: false, tier: undefined, hiddenPrefixes: ['secret'] }
  const directory = { list: async () => [], describe: async () => new Map() }
  const engine = { trigger: async () => undefined } as never
  const gate = createGate({ engine, directory, rules: () => rules, onLearned: () => undefined })
  const before = heapMiB()
  for (let n = 0; n < 100; n++) {
    const name = `secret::${Buffer.alloc(1024 ** 2, String(n)).toString()}`
    expect((await gate.admit(name, 'tool', user)).allowed).toBe(false)
  }
  expect(heapMiB() - before).toBeLessThan(20)
})
