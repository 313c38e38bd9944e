import { describe, expect, it } from 'vitest'
import { decodeOps } from '../builtins/update-ops.ts'
import { toText } from '../json/build.ts'
import { applyOps } from './update.ts'

function update(old: unknown, ...ops: unknown[]): { value: unknown; errors: string[] } {
  const updated = applyOps(old === undefined ? undefined : toText(old), decodeOps(toText(ops)))
  const errors = updated.errors.map((text) => JSON.parse(text) as { op_index: number; code: string; message: string })
  return {
    value: JSON.parse(updated.value) as unknown,
    errors: errors.map(({ op_index: index, code, message }) => `${index} ${code}: ${message}`),
  }
}

/** What the engine answered to the same steps. */
describe('applyOps', () => {
  it('starts from an empty object when there is no value', () => {
    expect(update(undefined)).toEqual({ value: {}, errors: [] })
    expect(update(undefined, { type: 'increment', path: '', by: 2 }).value).toBe(2)
    expect(update(undefined, { type: 'append', value: 'a' }, { type: 'append', value: 'b' }).value).toBe('ab')
    expect(update(undefined, { type: 'append', value: [1] }, { type: 'append', value: 2 }).value).toEqual([[1], 2])
  })

  it('appends to arrays, strings and nothing, at any depth', () => {
    expect(
      update(
        undefined,
        { type: 'append', path: 'text', value: 'x' },
        { type: 'append', path: ['a', 'b'], value: 'x' },
        { type: 'append', path: ['a', 'b'], value: 1 },
        { type: 'append', path: 'list', value: null },
        { type: 'append', path: 'text', value: 5 },
        { type: 'append', path: 'a', value: 5 },
      ),
    ).toEqual({
      value: { text: 'x', a: { b: ['x', 1] }, list: [null] },
      errors: [
        "4 append.type_mismatch: Expected string append value at path 'text', got number.",
        "5 append.type_mismatch: Cannot append at path 'a': target is object, expected array, string, null, or missing field.",
      ],
    })
  })

  it('changes first-level keys of objects only', () => {
    expect(
      update(
        [1],
        { type: 'set', path: 'x', value: 2 },
        { type: 'increment', path: 'n', by: 1 },
        { type: 'remove', path: 'x' },
        { type: 'append', path: ['a', 'b'], value: 1 },
      ),
    ).toEqual({
      value: [1],
      errors: [
        "0 set.target_not_object: Cannot set at path 'x': target is array, expected object.",
        "1 increment.target_not_object: Cannot increment at path 'n': target is array, expected object.",
        "2 remove.target_not_object: Cannot remove at path 'x': target is array, expected object.",
        "3 append.target_not_object: Cannot append at path '[a, b]': target is array, expected object.",
      ],
    })
  })

  it('merges shallowly and makes objects of whatever is on the way', () => {
    expect(
      update('text', { type: 'merge', path: ['a', 'b'], value: { x: 1 } }, { type: 'merge', value: { a: 5 } }).value,
    ).toEqual({ a: 5 })
    expect(update([1], { type: 'merge', value: { a: 5 } })).toEqual({ value: [1], errors: [] })
    expect(update(undefined, { type: 'merge', value: 5 }).errors).toEqual([
      '0 merge.value.not_an_object: Merge value must be a JSON object',
    ])
  })

  it('counts in 64-bit integers and in doubles', () => {
    const ops = decodeOps('[{"type":"increment","path":"n","by":1},{"type":"increment","path":"f","by":1}]')
    expect(applyOps('{"f":1.5,"n":9223372036854775807}', ops).value).toBe('{"f":2.5,"n":9223372036854775808}')
    expect(applyOps('{"f":1.0,"n":0}', ops).value).toBe('{"f":2.0,"n":1}')
    expect(update({ s: 'a' }, { type: 'decrement', path: 's', by: 1 }).errors).toEqual([
      "0 decrement.not_number: Expected number at path 's', got string.",
    ])
  })

  it.each([
    [{ type: 'set', path: '__proto__', value: 1 }, "set.path.proto_polluted: Path segment '__proto__'"],
    [{ type: 'set', path: 'é'.repeat(129), value: 1 }, 'set.path.segment_too_long: Path segment of 258 bytes'],
    [{ type: 'merge', path: Array(33).fill('p'), value: {} }, 'merge.path.too_deep: Path depth 33 exceeds'],
    [{ type: 'merge', path: ['a', ''], value: {} }, 'merge.path.empty_segment: Path contains an empty segment'],
    [{ type: 'merge', value: { ['__proto__']: 1 } }, 'merge.value.proto_polluted: Merge value top-level key'],
    [
      { type: 'merge', value: Object.fromEntries(Array.from({ length: 1025 }, (_, i) => [`k${i}`, 1])) },
      'merge.value.too_many_keys: Merge value has 1025 top-level keys',
    ],
    [
      { type: 'merge', value: JSON.parse(`${'{"a":'.repeat(17)}1${'}'.repeat(17)}`) as unknown },
      'merge.value.too_deep: Merge value JSON nesting depth 17',
    ],
  ])('leaves out %j', (op, error) => {
    const { errors } = update({ kept: 1 }, op)
    expect(errors).toEqual([expect.stringContaining(error)])
  })
})
