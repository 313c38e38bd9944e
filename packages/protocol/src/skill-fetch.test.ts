import { describe, expect, it } from 'vitest'
import { explainFetchAddress, explainTooManyAddresses, explainUnread, joinRefusals } from './skill-fetch.ts'

describe('what may be fetched', () => {
  it.each(['iii://skills', 'iii://orders', 'iii://fn/orders/status', 'skill://', 'skill://orders/SKILL.md'])(
    '%s may',
    (address) => {
      expect(explainFetchAddress(address)).toBeUndefined()
    },
  )

  it.each([
    ['https://a', 'Invalid URI (must start with iii:// or skill://): https://a'],
    ['orders', 'Invalid URI (must start with iii:// or skill://): orders'],
    ['iii://', 'Empty resource id: iii://'],
    ['\ud800', 'Invalid URI (must start with iii:// or skill://): \ufffd'],
  ])('%s may not', (address, problem) => {
    expect(explainFetchAddress(address)).toBe(problem)
  })

  it('is shown as far as an address may go, in whole characters', () => {
    const start = 'Invalid URI (must start with iii:// or skill://): '
    expect(explainFetchAddress('x'.repeat(1100))).toBe(`${start}${'x'.repeat(1100)}`)
    expect(explainFetchAddress('x'.repeat(9000))).toBe(`${start}${'x'.repeat(1097)}…`)
    expect(explainFetchAddress(`x${'😀'.repeat(5000)}`)).toBe(`${start}x${'😀'.repeat(274)}…`)
  })

  it('is no more than 32 addresses', () => {
    expect(explainTooManyAddresses(32)).toBeUndefined()
    expect(explainTooManyAddresses(33)).toBe('Too many addresses: 33 (max 32); fetch the rest in another call')
  })

  it('is told with each reason, and with an uri that does not count', () => {
    expect([joinRefusals([]), joinRefusals(['one'])]).toEqual([undefined, 'one'])
    expect(joinRefusals(['one', 'two'])).toBe('Nothing was read. one; two')
    expect(explainUnread(' iii://a ', ['iii://a'])).toBeUndefined()
    expect(explainUnread('iii://a', ['iii://b'])).toBe('uri was not read (iii://a): uris counts where both are given')
  })
})
