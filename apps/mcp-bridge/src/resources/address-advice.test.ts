import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { adviseAddress } from './address-advice.ts'

const rows = ['iii://skills', 'iii://orders', 'iii://orders/refunds', 'iii://fn', 'notes://orders'].map((uri) => ({
  uri,
}))
const advise = (text: string) => adviseAddress(text, () => Promise.resolve(rows))

describe('what to read in place of what is no address', () => {
  it.each([
    ['iii://Orders', /^\. Did you mean iii:\/\/orders( or .*)?\? iii:\/\/skills has all of them$/],
    ['iii://Orders/Refunds', /Did you mean iii:\/\/orders\/refunds/],
    ['orders', /Did you mean iii:\/\/orders[ ?]/],
    ['iii:/orders/refunds', /Did you mean iii:\/\/orders\/refunds/],
    ['III://orders', /Did you mean iii:\/\/orders[ ?]/],
  ])('is near %s', async (text, told) => {
    expect(await advise(text)).toMatch(told)
  })

  it.each(['iii://', 'https://example.com', 'iii://orders/orders::refunds', 'x'.repeat(5_000)])(
    'is nothing for %.40s',
    async (text) => {
      expect(await advise(text)).toBe('')
    },
  )

  it('is nothing where the list cannot be had', async () => {
    expect(await adviseAddress('iii://Orders', () => Promise.reject(new Error('away')))).toBe('')
    expect(await adviseAddress('iii://Orders', () => Promise.resolve([{ uri: 7 }, { uri: '' }]))).toBe('')
  })

  it('is well-formed, and an address that is there', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), async (text) => {
        const advice = await advise(text)
        expect(advice.isWellFormed()).toBe(true)
        const told = advice.match(/iii:\/\/[^?, ]*/g) ?? []
        for (const uri of told) expect(rows).toContainEqual({ uri })
      }),
    )
  })
})
