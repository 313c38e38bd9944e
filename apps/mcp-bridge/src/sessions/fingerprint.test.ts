import { describe, expect, it } from 'vitest'
import { EVERYBODY, type Principal } from '../auth/principal.ts'
import { toHolder } from '../testing/principals.ts'
import { createFingerprints } from './fingerprint.ts'
import { createKey } from './session-id.ts'

const key = createKey()
const { of, isOf } = createFingerprints({
  signing: () => key,
  find: async (id) => (id === key.id ? key : undefined),
})
const anonymous: Principal = { ...EVERYBODY, id: 'anonymous', method: 'anonymous' }

describe("the mark of what is somebody's", () => {
  it('fits the same principal, also with another token and other rights, and nobody else', async () => {
    const mark = of(toHolder('ci'))
    expect(mark).toMatch(/^\d+\.[A-Za-z0-9_-]{16}$/)
    expect(await isOf(mark, toHolder('ci', { tiers: [] }, { scopes: ['x'] }))).toBe(true)
    const others = [toHolder('cj'), anonymous, EVERYBODY, { ...EVERYBODY, id: 'token:ci' }]
    expect(await Promise.all(others.map((other) => isOf(mark, other)))).toEqual([false, false, false, false])
  })

  it('is none where nobody is asked who they are; what bears none is theirs, and of callers without a token', async () => {
    expect(of(EVERYBODY)).toBeUndefined()
    const all = [EVERYBODY, anonymous, toHolder('ci')]
    expect(await Promise.all(all.map((one) => isOf(undefined, one)))).toEqual([true, true, false])
    expect(await Promise.all(all.map((one) => isOf(of(anonymous), one)))).toEqual([false, true, false])
  })

  it.each(['', 'x', '1.abc', `${key.id + 1}.${'A'.repeat(16)}`, `${key.id}.${'A'.repeat(16)}`])(
    'fits nobody where it is another text: %s',
    async (mark) => {
      expect(await isOf(mark, toHolder('ci'))).toBe(false)
    },
  )
})
