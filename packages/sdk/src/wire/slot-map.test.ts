import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createSlotMap } from './slot-map.ts'

it('holds what a Map holds, in the same order, whatever comes and goes', () => {
  const change = fc.tuple(fc.constantFrom('set', 'delete'), fc.integer({ min: 0, max: 9 }), fc.option(fc.string()))
  fc.assert(
    fc.property(fc.array(change, { maxLength: 100 }), (changes) => {
      const map = new Map<number, string | null>()
      const slots = createSlotMap<number, string | null>()
      for (const [what, key, value] of changes) {
        if (what === 'set') map.set(key, value)
        else map.delete(key)
        if (what === 'set') slots.set(key, value)
        else slots.delete(key)
        expect([slots.size, slots.get(key)]).toEqual([map.size, map.get(key)])
      }
      expect(slots.values()).toEqual([...map.values()])
      expect(slots.entries()).toEqual([...map])
    }),
  )
})

/** Values come and go, sixteen there at a time, in a map that has become old; prints how many megabytes small collections left. */
const CHURN = `
  const { createSlotMap } = await import('@iii/sdk')
  const map = createSlotMap()
  const toValue = () => Array.from({ length: 100 }, () => ({}))
  for (let key = 0; key < 16; key++) map.set(key, toValue())
  gc(); gc()
  const before = process.memoryUsage().heapUsed
  for (let key = 16; key < 4000; key++) {
    map.set(key, toValue())
    map.delete(key - 16)
    if (key % 200 === 0) gc({ type: 'minor' })
  }
  gc({ type: 'minor' })
  console.log((process.memoryUsage().heapUsed - before) / 1e6)
`

it('what has gone is left to small collections of garbage, however old the map is', async () => {
  const args = ['--conditions=@iii/source', '--import', 'tsx', '--expose-gc', '--input-type=module', '-e', CHURN]
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
  })
  expect(Number(stdout)).toBeLessThan(3)
})
