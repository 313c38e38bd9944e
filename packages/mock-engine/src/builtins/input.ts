import { objectText, quote, toItems, toMembers, toStringValue } from '../json/build.ts'
import { arrayText, type JsonText } from '../json/json-text.ts'
import { EngineError } from '../wire/engine-error.ts'
import { Mismatch, mismatch } from './mismatch.ts'
import { decodeOps, type UpdateOp } from './update-ops.ts'

/** The kinds of fields a built-in's input may have; one with `?` may be missing or null, one with `=` only missing. */
export type Kind =
  | 'string'
  | 'string?'
  | 'string='
  | 'strings?'
  | 'strings='
  | 'boolean?'
  | 'boolean='
  | 'usize?'
  | 'u32?'
  | 'u64?'
  | 'u64='
  | 'i32?'
  | 'f64?'
  | 'pairs?'
  | 'telemetry?'
  | 'grants='
  | 'json'
  | 'json?'
  | 'json='
  | 'ops'

/** What a built-in accepts: the name its errors use, and its fields in order of declaration. */
export interface InputShape<F extends Record<string, Kind>> {
  readonly struct: string
  readonly fields: F
  /** Other names a field may come under. */
  readonly aliases?: Readonly<Record<string, keyof F & string>>
  /** Whether an array has to have all of them, even those that may be missing. */
  readonly whole?: boolean
  readonly describe?: Partial<Readonly<Record<keyof F & string, string>>>
}

interface Values {
  readonly string: string
  readonly strings: readonly string[]
  readonly boolean: boolean
  readonly usize: number
  readonly u32: number
  readonly u64: number
  readonly i32: number
  readonly f64: number
  readonly pairs: readonly (readonly string[])[]
  readonly telemetry: Readonly<Record<string, unknown>>
  readonly grants: ReadonlyMap<string, readonly string[]>
  readonly json: JsonText
  readonly ops: readonly UpdateOp[]
}

type Value<K extends Kind> = K extends `${infer B extends keyof Values}${'?' | '='}`
  ? Values[B] | undefined
  : K extends keyof Values
    ? Values[K]
    : never

/** An input after it was read. */
export type InputOf<F extends Record<string, Kind>> = { readonly [N in keyof F]: Value<F[N]> }

/**
 * Reads the input of a built-in; unknown keys are ignored.
 *
 * @throws EngineError `deserialization_error` with the text the engine gives for the same mistake.
 */
export function decodeInput<F extends Record<string, Kind>>(functionId: string, shape: InputShape<F>, data: JsonText) {
  return decodeOr(shape, data, (why) => {
    return new EngineError('deserialization_error', `Failed to deserialize input for ${functionId}: ${why}`)
  })
}

/**
 * Reads what a trigger is bound with.
 *
 * @param what it is, as the engine calls it in its complaint
 * @throws EngineError `trigger_registration_failed`
 */
export function decodeBinding<F extends Record<string, Kind>>(what: string, shape: InputShape<F>, config: JsonText) {
  return decodeOr(shape, config, (why) => {
    return new EngineError('trigger_registration_failed', `Failed to parse ${what} config: ${why}`)
  })
}

function decodeOr<F extends Record<string, Kind>>(shape: InputShape<F>, data: JsonText, fail: (why: string) => Error) {
  try {
    return decode(shape, data)
  } catch (error) {
    throw error instanceof Mismatch ? fail(error.message) : error
  }
}

/** Reads a value of a shape. @throws Mismatch */
export function decode<F extends Record<string, Kind>>(shape: InputShape<F>, data: JsonText): InputOf<F> {
  return decodeFields(shape, data) as InputOf<F>
}

function decodeFields(shape: InputShape<Record<string, Kind>>, data: JsonText): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  const items = toItems(data)
  for (const [key, text] of items ? inOrder(shape, items) : inputMembers(shape, data)) {
    const name = own(shape.aliases ?? {}, key) ?? key
    const kind = own(shape.fields, name)
    if (!kind) continue
    if (name in values) throw new Mismatch(`duplicate field \`${name}\``)
    values[name] = READERS[kind](text)
  }
  const missing = findMissing(shape, values, items !== undefined)
  if (items) requireLength(shape, items, missing)
  else if (missing !== undefined) throw new Mismatch(`missing field \`${missing}\``)
  return values
}

function findMissing(
  { fields, whole = false }: InputShape<Record<string, Kind>>,
  values: Record<string, unknown>,
  inOrder: boolean,
): string | undefined {
  const needed = (name: string) => (whole && inOrder) || isRequired(fields[name])
  return Object.keys(fields).find((name) => needed(name) && !(name in values))
}

function isRequired(kind: Kind | undefined): boolean {
  return kind !== undefined && !/[?=]$/.test(kind)
}

/** A key of the caller's choice may be one that every object inherits. */
function own<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined
}

function inputMembers(shape: InputShape<Record<string, Kind>>, data: JsonText): Iterable<[string, JsonText]> {
  return toMembers(data) ?? mismatch(data, `struct ${shape.struct}`)
}

/** An array stands for the fields in order; that there are too many is noticed behind them. */
function inOrder(shape: InputShape<Record<string, Kind>>, items: readonly JsonText[]): [string, JsonText][] {
  return Object.keys(shape.fields).flatMap((name, i) => (items[i] === undefined ? [] : [[name, items[i]]]))
}

/** @throws Mismatch when there are too few or too many. */
function requireLength(
  { struct, fields }: InputShape<Record<string, Kind>>,
  { length }: readonly JsonText[],
  missing: string | undefined,
): void {
  const count = Object.keys(fields).length
  const all = `struct ${struct} with ${count} element${count === 1 ? '' : 's'}`
  if (missing !== undefined) throw new Mismatch(`invalid length ${length}, expected ${all}`)
  if (length > count) throw new Mismatch(`invalid length ${length}, expected fewer elements in array`)
}

type Reader = (text: JsonText) => unknown

const readString: Reader = (text) => toStringValue(text) ?? mismatch(text, 'a string')
const readStrings: Reader = (text) => (toItems(text) ?? mismatch(text, 'a sequence')).map(readString)
const readGrants: Reader = (text) =>
  new Map([...(toMembers(text) ?? mismatch(text, 'a map'))].map(([key, list]) => [key, readStrings(list)]))
const readBoolean: Reader = (text) => text === 'true' || (text === 'false' ? false : mismatch(text, 'a boolean'))

function maybe(read: Reader): Reader {
  return (text) => (text === 'null' ? undefined : read(text))
}

/** Reads an integer within bounds; the text of a number in a frame is as long as it was sent. */
function integer(type: string, min: number, max: number): Reader {
  return (text) => {
    if (!/^-?\d+$/.test(text)) return mismatch(text, type)
    const value = Number(text)
    if (value < min || value > max) throw new Mismatch(`invalid value: integer \`${text}\`, expected ${type}`)
    return value
  }
}

/** What a worker says of the project it runs for. */
const TELEMETRY = {
  struct: 'WorkerConnectionTelemetryMeta',
  fields: { language: 'string?', project_name: 'string?', framework: 'string?' },
  whole: true,
} as const satisfies InputShape<Record<string, Kind>>

const READERS: { readonly [K in Kind]: Reader } = {
  string: readString,
  'string?': maybe(readString),
  'string=': readString,
  'strings?': maybe(readStrings),
  'strings=': readStrings,
  'boolean?': maybe(readBoolean),
  'boolean=': readBoolean,
  'usize?': maybe(integer('usize', 0, 2 ** 64)),
  'u32?': maybe(integer('u32', 0, 2 ** 32 - 1)),
  'u64?': maybe(integer('u64', 0, 2 ** 64)),
  'u64=': integer('u64', 0, 2 ** 64),
  'i32?': maybe(integer('i32', -(2 ** 31), 2 ** 31 - 1)),
  'f64?': maybe((text) => (/^[-\d]/.test(text) ? Number(text) : mismatch(text, 'f64'))),
  'pairs?': maybe((text) => (toItems(text) ?? mismatch(text, 'a sequence')).map(readStrings)),
  'grants=': readGrants,
  'telemetry?': maybe((text) => decodeFields(TELEMETRY, text)),
  json: (text) => text,
  'json?': maybe((text) => text),
  'json=': (text) => text,
  ops: decodeOps,
}

const TYPES: Readonly<Record<string, string | undefined>> = {
  string: 'string',
  strings: 'array',
  boolean: 'boolean',
  usize: 'integer',
  u32: 'integer',
  u64: 'integer',
  i32: 'integer',
  f64: 'number',
  pairs: 'array',
  ops: 'array',
}

function schemaType(kind: Kind): JsonText | undefined {
  const type = TYPES[kind.replace(/[?=]$/, '')]
  if (type === undefined) return undefined
  return kind.endsWith('?') ? arrayText([quote(type), '"null"']) : quote(type)
}

/** The JSON Schema a built-in shows for its input. */
export function inputSchema(shape: InputShape<Record<string, Kind>>): JsonText {
  const properties: Record<string, JsonText> = {}
  for (const [name, kind] of Object.entries(shape.fields)) {
    const description = shape.describe?.[name]
    properties[name] = objectText({
      description: description === undefined ? undefined : quote(description),
      items: kind.startsWith('strings') ? '{"type":"string"}' : undefined,
      type: schemaType(kind),
    })
  }
  const required = Object.keys(shape.fields).filter((name) => isRequired(shape.fields[name]))
  return objectText({
    $schema: quote('http://json-schema.org/draft-07/schema#'),
    title: quote(shape.struct),
    type: '"object"',
    properties: Object.keys(properties).length > 0 ? objectText(properties) : undefined,
    required: required.length > 0 ? arrayText(required.sort().map(quote)) : undefined,
  })
}
