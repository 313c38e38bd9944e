import { describe, expect, it } from 'vitest'
import { toToolEntry } from '../catalog/tool-entry.ts'
import { toFoundTools, toNothingFound } from './found-tools.ts'

/** Tools as the engine tells of their functions. */
const toEntries = (count: number, description = 'Send an order', text = '') =>
  Array.from({ length: count }, (_, at) =>
    toToolEntry({
      id: `shop-${at % 60}::send_${at}`,
      description,
      requestSchema: { type: 'object', properties: { order: { type: 'string', description: text } } },
      responseSchema: undefined,
      metadata: { mcp: { annotations: { readOnlyHint: true } } },
    }),
  )

const FULL = { detail: 'full', form: 'inlined' } as const
const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value))

describe('what a search brings', () => {
  it('has the arguments of the best five, and descriptions and annotations of all', () => {
    const { tools, left_out } = toFoundTools(toEntries(20), 31, FULL)
    expect(left_out).toBe(11)
    expect(tools.map((tool) => 'inputSchema' in tool)).toEqual(Array.from({ length: 20 }, (_, at) => at < 5))
    for (const tool of tools) {
      expect(tool).toMatchObject({ description: 'Send an order', annotations: { readOnlyHint: true } })
      expect(tool).not.toHaveProperty('score')
    }
  })

  it('has 32 KiB at the most: first without arguments, the last first, then with fewer tools', () => {
    const wide = toFoundTools(toEntries(5, 'Send an order', 'x'.repeat(10_000)), 5, FULL)
    expect(wide.tools.map((tool) => 'inputSchema' in tool)).toEqual([true, true, true, false, false])
    expect(wide.left_out).toBe(0)
    const long = toFoundTools(toEntries(20, '\u0001'.repeat(4_096)), 20, { ...FULL, detail: 'brief' })
    expect(bytesOf(long.tools)).toBeLessThanOrEqual(32_768)
    expect(long.tools.length + long.left_out).toBe(20)
  })

  it('cuts descriptions at 600 bytes, and never within a letter', () => {
    const [tool] = toFoundTools(toEntries(1, '行'.repeat(4_096)), 1, FULL).tools
    expect(tool).toHaveProperty('description', `${'行'.repeat(199)}…`)
  })

  it('names the namespaces that there are where nothing was found, fifty at the most', () => {
    expect(toNothingFound(toEntries(2)).hint).toMatch(/There are tools of shop-0, shop-1\.$/)
    expect(toNothingFound(toEntries(60)).hint).toMatch(/ and 10 others\.$/)
    expect(toNothingFound([]).hint).toMatch(/There are no tools\.$/)
  })
})
