import { toItems, toMembers, toStringValue } from '../json/build.ts'
import type { JsonText } from '../json/json-text.ts'
import { Mismatch, mismatch } from './mismatch.ts'

/** One step of `state::update`. A path is a list of literal keys; an empty one means the value itself. */
export type UpdateOp =
  | { readonly type: 'set'; readonly path: readonly string[]; readonly value: JsonText }
  | { readonly type: 'merge' | 'append'; readonly path: readonly string[]; readonly value: JsonText }
  | { readonly type: 'increment' | 'decrement'; readonly path: readonly string[]; readonly by: bigint }
  | { readonly type: 'remove'; readonly path: readonly string[] }

const TYPES = ['set', 'merge', 'increment', 'decrement', 'append', 'remove'] as const

/** @throws Mismatch with the text for a step that cannot be read. */
export function decodeOps(text: JsonText): UpdateOp[] {
  return (toItems(text) ?? mismatch(text, 'a sequence')).map(decodeOp)
}

function decodeOp(text: JsonText): UpdateOp {
  const fields = toMembers(text) ?? positional(text)
  const type = decodeType(fields.get('type'))
  switch (type) {
    case 'set':
      return { type, path: keyPath(fields), value: fields.get('value') ?? 'null' }
    case 'remove':
      return { type, path: keyPath(fields) }
    case 'increment':
    case 'decrement':
      return decodeStep(type, fields)
    case 'merge':
    case 'append':
      return { type, path: segments(fields.get('path')), value: required(fields, 'value') }
  }
}

/** Keys are read in their order, so that a wrong amount is found before a wrong path; what is missing is found last. */
function decodeStep(type: 'increment' | 'decrement', fields: ReadonlyMap<string, JsonText>): UpdateOp {
  const amount = fields.get('by')
  const by = amount === undefined ? undefined : toI64(amount)
  const path = keyPath(fields)
  return { type, path, by: by ?? toI64(required(fields, 'by')) }
}

/** A step may be an array of its type and fields in order. */
function positional(text: JsonText): Map<string, JsonText> {
  const [type, path, third] = toItems(text) ?? mismatch(text, 'internally tagged enum UpdateOp')
  if (type === undefined) return new Map()
  const fields = new Map([['type', type]])
  if (path !== undefined) fields.set('path', path)
  const name = /crement"$/.test(type) ? 'by' : 'value'
  return third === undefined ? fields : fields.set(name, third)
}

function decodeType(text: JsonText | undefined): UpdateOp['type'] {
  if (text === undefined) throw new Mismatch('missing field `type`')
  const name = toStringValue(text) ?? mismatch(text, 'variant identifier')
  const type = TYPES.find((known) => known === name)
  if (type) return type
  throw new Mismatch(`unknown variant \`${name}\`, expected one of ${TYPES.map((known) => `\`${known}\``).join(', ')}`)
}

function required(fields: ReadonlyMap<string, JsonText>, name: string): JsonText {
  const text = fields.get(name)
  if (text === undefined) throw new Mismatch(`missing field \`${name}\``)
  return text
}

function keyPath(fields: ReadonlyMap<string, JsonText>): string[] {
  const text = required(fields, 'path')
  const key = toStringValue(text) ?? mismatch(text, 'a string')
  return key === '' ? [] : [key]
}

function segments(text: JsonText | undefined): string[] {
  if (text === undefined || text === 'null') return []
  const key = toStringValue(text)
  if (key !== undefined) return key === '' ? [] : [key]
  return (toItems(text) ?? noPath()).map((item) => toStringValue(item) ?? noPath())
}

function noPath(): never {
  throw new Mismatch('data did not match any variant of untagged enum MergePath')
}

function toI64(text: JsonText): bigint {
  if (!/^-?\d+$/.test(text)) return mismatch(text, 'i64')
  const value = BigInt(text)
  if (BigInt.asIntN(64, value) === value) return value
  throw new Mismatch(`invalid value: integer \`${text}\`, expected i64`)
}
