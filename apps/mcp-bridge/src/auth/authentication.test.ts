import { describe, expect, it } from 'vitest'
import type { Admission } from './admission.ts'
import { createAuthentication, type RequestHead } from './authentication.ts'
import { AuthBlock, type AuthSettings } from './settings/auth-block.ts'
import { createToken, toDigest } from './token.ts'

const [CI, OLD, DESK] = [createToken(), createToken(), createToken()]
const FOREIGN = 'a-token-that-something-else-has-made-0001'

const BLOCK = {
  tokens: [
    { name: 'ci', hash: [toDigest(CI), toDigest(OLD)], grant: 'ops' },
    { name: 'desk', hash: [toDigest(DESK)], grant: 'staff', expires: '2030-01-01' },
    { name: 'other', hash: [toDigest(FOREIGN)], grant: 'staff' },
  ],
  grants: { ops: { tiers: ['ops'], scopes: ['orders:*'] }, staff: {} },
}
const BEFORE = Date.parse('2029-12-31T23:59:59Z')

interface Setup {
  readonly block?: object | undefined
  readonly attachedToken?: string
}

function createStage({ block = BLOCK, attachedToken }: Setup = {}) {
  let settings: AuthSettings | undefined = AuthBlock.parse(block)
  let time = BEFORE
  const auth = createAuthentication({ settings: () => settings, now: () => time, attachedToken })
  const admit = (authorization?: string, queryNames: RequestHead['queryNames'] = []) => {
    const admission = auth.admit({ authorization, queryNames })
    if (admission instanceof Promise) throw new Error('there is nothing to wait for where no issuer is set')
    return admission
  }
  return {
    auth,
    admit,
    who: (authorization?: string) => toWho(admit(authorization)),
    set: (next: object | undefined) => {
      settings = next && AuthBlock.parse(next)
    },
    pass: (ms: number) => {
      time += ms
    },
  }
}

function toWho(admission: Admission): string {
  return admission.kind === 'principal' ? admission.principal.id : `${admission.status} ${admission.reason}`
}

describe('who is let in', () => {
  it('is everybody where no block says otherwise, and where it says off', () => {
    const { auth, who, set } = createStage({ block: { ...BLOCK, mode: 'off' } })
    for (const block of [{ ...BLOCK, mode: 'off' }, undefined]) {
      set(block)
      expect([who(), who('Bearer nonsense'), auth.everybody.id]).toEqual(['everybody', 'everybody', 'everybody'])
      expect([toWho(auth.admitBus()), toWho(auth.admitAttached())]).toEqual(['everybody', 'everybody'])
    }
  })

  it('is who has a token of the file, be it one of two, or made by something else', () => {
    const { who } = createStage()
    expect([CI, OLD, DESK, FOREIGN].map((token) => who(`Bearer ${token}`))).toEqual([
      'token:ci',
      'token:ci',
      'token:desk',
      'token:other',
    ])
    expect(who(`bEARER   ${CI}`)).toBe('token:ci')
  })

  it('has the grant of the token, and is the same object as long as nothing changes', () => {
    const { admit } = createStage()
    const [one, two] = [admit(`Bearer ${CI}`), admit(`Bearer ${CI}`)]
    expect(one).toMatchObject({
      principal: { id: 'token:ci', method: 'token', grant: { name: 'ops', tiers: ['ops'], scopes: ['orders:*'] } },
    })
    expect(one.kind === 'principal' && two.kind === 'principal' && one.principal === two.principal).toBe(true)
  })

  it('is nobody without a token, who is told no error', () => {
    const { admit } = createStage()
    expect(admit()).toMatchObject({ status: 401, challenge: 'Bearer realm="mcp"', reason: 'no-token' })
  })

  it.each([
    ['an empty header', '', 'empty-header'],
    ['another scheme', 'Basic dXNlcjpwYXNz', 'not-bearer'],
    ['a scheme that begins alike', `Bearerer ${CI}`, 'not-bearer'],
    ['no token', 'Bearer', 'token-missing'],
    ['no token but a space', 'Bearer ', 'token-missing'],
    ['no token but a comma', 'Bearer ,', 'token-missing'],
    ['no scheme', CI, 'not-bearer'],
    ['two tokens', `Bearer ${CI}, Bearer ${DESK}`, 'several-tokens'],
    ['two tokens without a comma', `Bearer ${CI} ${DESK}`, 'several-tokens'],
    ['more than 8 KiB', `Bearer ${'a'.repeat(8_192)}`, 'header-too-long'],
    ['a token that nobody has', `Bearer ${createToken()}`, 'unknown-token'],
    ['a token with a slip', `Bearer ${CI.slice(0, -1)}`, 'unknown-token'],
    ['a token and more', `Bearer ${CI}x`, 'unknown-token'],
    ['the hash of a token', `Bearer ${toDigest(CI)}`, 'unknown-token'],
    ['a name', 'Bearer ci', 'unknown-token'],
    ['a NUL character', `Bearer ${CI}\0`, 'unknown-token'],
  ])('%s is refused in the same words as every other bad token', (_, header, reason) => {
    const open = createStage({ block: { ...BLOCK, anonymous: { grant: 'staff' } } })
    for (const { admit } of [createStage(), open]) {
      expect(admit(header)).toEqual({
        kind: 'refused',
        status: 401,
        text: 'Unauthorized: the token is not valid',
        challenge: 'Bearer realm="mcp", error="invalid_token", error_description="The token is not valid"',
        reason,
      })
    }
  })

  it('is no one whose token has expired', () => {
    const { who, pass } = createStage()
    pass(999)
    expect(who(`Bearer ${DESK}`)).toBe('token:desk')
    pass(1)
    expect([who(`Bearer ${DESK}`), who(`Bearer ${CI}`)]).toEqual(['401 expired', 'token:ci'])
  })

  it.each(['token', 'access_token', 'api_key', 'Access_Token'])(
    'refuses a %s in the address, with a good header too',
    (name) => {
      const { admit } = createStage()
      expect(admit(`Bearer ${CI}`, ['page', name])).toMatchObject({ status: 400, reason: 'token-in-query' })
      expect(toWho(admit(`Bearer ${CI}`, ['page']))).toBe('token:ci')
    },
  )

  it('has the grant for callers without a token, where there is one', () => {
    const { admit } = createStage({ block: { ...BLOCK, anonymous: { grant: 'staff' } } })
    expect(admit()).toMatchObject({ principal: { id: 'anonymous', method: 'anonymous', grant: { name: 'staff' } } })
  })

  it('hears 429 after a hundred bad tokens, while good ones are let in', () => {
    const { who } = createStage()
    const heard = Array.from({ length: 150 }, (_, nth) => who(`Bearer guess-${nth}`))
    expect(heard.slice(0, 100)).toEqual(Array(100).fill('401 unknown-token'))
    expect(heard).toContain('429 too-many-failures')
    expect([who(`Bearer ${CI}`), who()]).toEqual(['token:ci', '401 no-token'])
  })
})

describe('who comes by another way', () => {
  it('is the client that started the process, by the rules of the bridge or a grant', () => {
    const { auth, set } = createStage()
    expect(auth.admitAttached()).toMatchObject({ principal: { id: 'local', method: 'stdio', grant: undefined } })
    set({ ...BLOCK, stdio: { grant: 'staff' } })
    expect(auth.admitAttached()).toMatchObject({ principal: { id: 'local', grant: { name: 'staff' } } })
  })

  it('is whoever the token in its environment says, or nobody', () => {
    const { auth, pass, set } = createStage({ attachedToken: DESK })
    expect(toWho(auth.admitAttached())).toBe('token:desk')
    pass(1_000)
    expect(toWho(auth.admitAttached())).toBe('401 expired')
    set({ ...BLOCK, tokens: [] })
    expect(toWho(auth.admitAttached())).toBe('401 unknown-token')
  })

  it.each(['', '\n'])('reads where its token stands, if that is none: behind it %j', async (tail) => {
    const { auth, set } = createStage({ attachedToken: `${DESK}${tail}` })
    if (tail === '') set({ ...BLOCK, tokens: [] })
    expect(auth.admitAttached()).toMatchObject({ text: expect.stringContaining('the token in III_MCP_TOKEN') })
  })

  it.each([
    [{}, '403 bus'],
    [{ bus: 'deny' }, '403 bus'],
    [{ bus: 'ops' }, 'bus'],
    [{ bus: { grant: 'ops' } }, 'bus'],
  ])('over the bus with %j is %s', (part, expected) => {
    expect(toWho(createStage({ block: { ...BLOCK, ...part } }).auth.admitBus())).toBe(expected)
  })
})

describe('what somebody who was let in may now', () => {
  function letIn(stage: ReturnType<typeof createStage>, authorization?: string) {
    const admission = stage.admit(authorization)
    if (admission.kind === 'refused') throw new Error(admission.reason)
    return admission.principal
  }

  it('is what the settings say now', () => {
    const stage = createStage()
    const principal = letIn(stage, `Bearer ${CI}`)
    expect(principal.asOfNow?.()).toBe(principal)
    stage.set({ ...BLOCK, tokens: [{ name: 'ci', hash: [toDigest(CI)], grant: 'staff' }] })
    expect(principal.asOfNow?.()).toMatchObject({ id: 'token:ci', grant: { name: 'staff' } })
  })

  it('is nothing once its own token is gone, though its name has another', () => {
    const stage = createStage()
    const [old, current] = [letIn(stage, `Bearer ${OLD}`), letIn(stage, `Bearer ${CI}`)]
    stage.set({ ...BLOCK, tokens: [{ name: 'ci', hash: [toDigest(CI)], grant: 'ops' }] })
    expect([old.asOfNow?.(), current.asOfNow?.()?.id]).toEqual([undefined, 'token:ci'])
  })

  it('is nothing once the token has expired', () => {
    const stage = createStage()
    const principal = letIn(stage, `Bearer ${DESK}`)
    expect(principal.asOfNow?.()).toBe(principal)
    stage.pass(1_000)
    expect(principal.asOfNow?.()).toBe(undefined)
  })

  it('is nothing for everybody once a token is asked for, and everything for everybody once none is', () => {
    const stage = createStage({ block: { ...BLOCK, anonymous: { grant: 'staff' } } })
    const [ci, anonymous] = [letIn(stage, `Bearer ${CI}`), letIn(stage)]
    stage.set(undefined)
    const everybody = letIn(stage)
    const standing = () => [ci, anonymous, everybody].map(({ asOfNow }) => asOfNow?.()?.id)
    expect(standing()).toEqual(['everybody', 'everybody', 'everybody'])
    stage.set(BLOCK)
    expect(standing()).toEqual(['token:ci', undefined, undefined])
  })
})

describe('the limits of somebody', () => {
  const limits = { per_minute: 60, burst: 3, concurrent: 5 }

  it('are those of the token, then those for all, then the defaults', () => {
    const tokens = [{ name: 'ci', hash: [toDigest(CI)], grant: 'ops', limits: { burst: 7 } }]
    const { auth, admit } = createStage({ block: { ...BLOCK, tokens, limits } })
    const admission = admit(`Bearer ${CI}`)
    expect(admission.kind === 'principal' && auth.limitsOf(admission.principal)).toEqual({
      requests: { perSecond: 1, burst: 7 },
      concurrent: 5,
      streams: 64,
      tasks: 32,
      subscriptions: 1024,
    })
  })

  it('count each by itself, and never the client that started the process', () => {
    const { auth, admit } = createStage({ block: { ...BLOCK, limits } })
    const count = (admission: Admission) =>
      admission.kind === 'principal' ? auth.countRequest(admission.principal) : 'refused'
    const heard = Array.from({ length: 4 }, () => count(admit(`Bearer ${CI}`)))
    expect(heard).toEqual([undefined, undefined, undefined, 1])
    expect(count(admit(`Bearer ${OLD}`))).toBe(1)
    expect(count(admit(`Bearer ${DESK}`))).toBe(undefined)
    expect(Array.from({ length: 10 }, () => count(auth.admitAttached()))).toEqual(Array(10).fill(undefined))
  })
})
