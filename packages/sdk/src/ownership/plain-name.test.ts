import { describe, expect, it } from 'vitest'
import { findPlainName } from './plain-name.ts'

/** An engine that has these functions of every worker. */
const ask = (rows: readonly object[]) => async () => ({ functions: rows })
const row = (instance: string, namespace = 'default') => ({ metadata: { 'iii.instance': instance }, namespace })
const OWN = '5b1c9a70-1111-4222-8333-444455556666'

describe('the name behind one of its own', () => {
  it.each([
    ['mcp-5b1c9a70', [row(OWN)], 'mcp'],
    ['my-worker-5b1c9a70', [row('other'), row(OWN)], 'my-worker'],
    ['w:v2-5b1c9a70', [row(OWN)], 'w:v2'],
    ['mcp-deadbeef', [row(OWN)], undefined],
    ['mcp-5b1c9a70', [], undefined],
    ['mcp-5b1c9a70', [{ namespace: 'default' }], undefined],
    ['mcp-5b1c9a70', [row(OWN, 'orders')], undefined],
    ['host:4711-5b1c9a70', [row(OWN)], undefined],
    ['mcp', [row(OWN)], undefined],
    ['-5b1c9a70', [row(OWN)], undefined],
    ['mcp-5B1C9A70', [row(OWN)], undefined],
  ])('of %s with the functions %j is %s', async (name, rows, plain) => {
    expect(await findPlainName(ask(rows), { name })).toBe(plain)
  })

  it('costs no question where there cannot be one', async () => {
    const unasked = () => Promise.reject(new Error('asked'))
    expect(await findPlainName(unasked, { name: 'mcp' })).toBeUndefined()
    await expect(findPlainName(unasked, { name: 'mcp-5b1c9a70' })).rejects.toThrow('asked')
  })

  it.each([
    ['w', '0'],
    ['', ':0'],
  ])('is looked for in a long name as fast as that is read: %s%s', async (start, part) => {
    const find = async (name: string) => expect(await findPlainName(ask([]), { name })).toBeUndefined()
    await expect(find).toTakeLinearTime((count) => start + part.repeat(count), 100_000)
  })
})
