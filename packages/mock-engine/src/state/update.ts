import type { UpdateOp } from '../builtins/update-ops.ts'
import { objectText, quote, toItems, toMembers, toStringValue } from '../json/build.ts'
import { arrayText, formatObject, type JsonText } from '../json/json-text.ts'
import { formatDouble } from '../json/number.ts'
import { checkOp, OpRefused } from './update-checks.ts'

/** What an update made of a value, and which steps were left out, as JSON. */
export interface Updated {
  readonly value: JsonText
  readonly errors: readonly JsonText[]
}

const HELP = 'https://iii.dev/docs/workers/iii-state#error-codes'

/** Applies the steps in order; one that fails is reported and skipped. A missing value starts as an empty object. */
export function applyOps(old: JsonText | undefined, ops: readonly UpdateOp[]): Updated {
  let value = old
  const errors: JsonText[] = []
  for (const [i, op] of ops.entries()) {
    try {
      checkOp(op)
      value = applyOp(value, op)
    } catch (error) {
      if (!(error instanceof OpRefused)) throw error
      const code = quote(`${op.type}.${error.code}`)
      errors.push(objectText({ code, doc_url: quote(HELP), message: quote(error.message), op_index: String(i) }))
    }
  }
  return { value: value ?? '{}', errors }
}

function applyOp(root: JsonText | undefined, op: UpdateOp): JsonText {
  switch (op.type) {
    case 'set':
      return op.path.length === 0 ? op.value : withMember(root, op, () => op.value)
    case 'remove':
      return op.path.length === 0 ? 'null' : withMember(root, op, () => undefined)
    case 'increment':
    case 'decrement': {
      const by = op.type === 'increment' ? op.by : -op.by
      const name = op.path[0] ?? 'root'
      return op.path.length === 0 ? add(root, by, name) : withMember(root, op, (value) => add(value, by, name))
    }
    case 'merge':
      return merge(root, op)
    case 'append':
      return appendAt(root, op)
  }
}

/** Changes one first-level member of the root. */
function withMember(
  root: JsonText | undefined,
  op: UpdateOp,
  change: (value: JsonText | undefined) => JsonText | undefined,
): JsonText {
  const members = toMembers(root ?? '{}')
  const name = op.path[0] ?? ''
  if (!members) {
    const where = op.type === 'append' ? `[${op.path.join(', ')}]` : name
    throw new OpRefused(
      'target_not_object',
      `Cannot ${op.type} at path '${where}': target is ${typeName(root)}, expected object.`,
    )
  }
  const value = change(members.get(name))
  if (value === undefined) members.delete(name)
  else members.set(name, value)
  return formatObject(members)
}

function typeName(text: JsonText | undefined): string {
  const first = (text ?? 'null').charAt(0)
  const names: Record<string, string> = {
    '{': 'object',
    '[': 'array',
    '"': 'string',
    n: 'null',
    t: 'boolean',
    f: 'boolean',
  }
  return names[first] ?? 'number'
}

function add(value: JsonText | undefined, by: bigint, name: string): JsonText {
  if (value === undefined) return String(by)
  if (/^-?\d+$/.test(value)) {
    const sum = BigInt(value) + by
    if (sum >= -(2n ** 63n) && sum < 2n ** 64n) return String(sum)
  } else if (/^-?\d/.test(value)) return formatDouble(Number(value) + Number(by))
  throw new OpRefused('not_number', `Expected number at path '${name}', got ${typeName(value)}.`)
}

/** A root that is no object stays as it is, without a complaint. */
function merge(root: JsonText | undefined, op: UpdateOp & { readonly type: 'merge' | 'append' }): JsonText {
  const inert = op.path.length === 0 && root !== undefined && !root.startsWith('{')
  return inert ? root : mergeAt(root, op.path, op.value)
}

/** Merges at a path; whatever is no object on the way becomes one. */
function mergeAt(target: JsonText | undefined, path: readonly string[], value: JsonText): JsonText {
  const members = toMembers(target ?? '{}') ?? new Map<string, JsonText>()
  const [key, ...rest] = path
  if (key !== undefined) members.set(key, mergeAt(members.get(key), rest, value))
  else for (const [name, text] of toMembers(value) ?? []) members.set(name, text)
  return formatObject(members)
}

function appendAt(root: JsonText | undefined, op: UpdateOp & { readonly type: 'merge' | 'append' }): JsonText {
  const [key, ...rest] = op.path
  if (key === undefined) return append(root, op.value, 'root', true)
  return withMember(root, op, (value) =>
    rest.length === 0 ? append(value, op.value, key, true) : appendBelow(value, rest, op.value),
  )
}

function appendBelow(target: JsonText | undefined, path: readonly string[], value: JsonText): JsonText {
  const [key, ...rest] = path
  if (key === undefined) return append(target, value, path.join('.'), false)
  const members = toMembers(target ?? '{}') ?? new Map<string, JsonText>()
  const child = members.get(key)
  return formatObject(
    members.set(key, rest.length > 0 ? appendBelow(child, rest, value) : append(child, value, key, false)),
  )
}

/** @param strings - whether a string may start a string; below the first level it starts an array. */
function append(target: JsonText | undefined, value: JsonText, name: string, strings: boolean): JsonText {
  const added = toStringValue(value)
  if (target === undefined || target === 'null') return strings && added !== undefined ? value : arrayText([value])
  const items = toItems(target)
  if (items) return arrayText([...items, value])
  const text = toStringValue(target)
  if (text === undefined) {
    throw new OpRefused(
      'type_mismatch',
      `Cannot append at path '${name}': target is ${typeName(target)}, expected array, string, null, or missing field.`,
    )
  }
  if (added !== undefined) return quote(text + added)
  throw new OpRefused('type_mismatch', `Expected string append value at path '${name}', got ${typeName(value)}.`)
}
