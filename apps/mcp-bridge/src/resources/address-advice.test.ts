import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CallLimits } from '../mcp/call.ts'
import { toHolder } from '../testing/principals.ts'
import { adviseAddress, createAddressAdvice } from './address-advice.ts'

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

it('is told each client of what it may read, from one list for all that ask within a second', async () => {
  let lists = 0
  const list = async () => {
    lists += 1
    return rows as never
  }
  const tell = createAddressAdvice({ registry: { list }, others: [{ uri: 'iii://workers' }] })
  const limits = { plainMs: 1000 } as CallLimits
  const [all, some] = [toHolder('ops', {}), toHolder('ci', { skills: ['stock'] })]
  expect(await tell('iii://Orders', { principal: all, limits })).toMatch(/orders/)
  expect(await tell('iii://Orders', { principal: some, limits })).not.toMatch(/orders/)
  expect(await tell('iii://Workers', { principal: some, limits })).toMatch(/workers/)
  expect(lists).toBe(1)
  await tell(`iii://${'X'.repeat(300)}`, { principal: all, limits })
  expect(lists).toBe(1)
})
