import { EngineError } from '../engine-error.ts'
import { objectText, quote, toItems, toMembers, toStringValue } from '../json/build.ts'
import { arrayText, type JsonText } from '../json/json-text.ts'
import { decodeOps, type UpdateOp } from '../state/update-ops.ts'
import { Mismatch, mismatch } from './mismatch.ts'

/** The kinds of fields a built-in's input may have; `?` may be missing or null. */
export type Kind = 'string' | 'string?' | 'strings?' | 'boolean?' | 'usize?' | 'u32?' | 'json' | 'json?' | 'ops'

/** What a built-in accepts: the name its errors use, and its fields in order of declaration. */
export interface InputShape<F extends Record<string, Kind>> {
  readonly struct: string
  readonly fields: F
  /** Other names a field may come under. */
  readonly aliases?: Readonly<Record<string, keyof F & string>>
  readonly describe?: Partial<Readonly<Record<keyof F & string, string>>>
}

type Value<K extends Kind> = K extends 'string'
  ? string
  : K extends 'string?'
    ? string | undefined
    : K extends 'strings?'
      ? readonly string[] | undefined
      : K extends 'boolean?'
        ? boolean | undefined
        : K extends 'usize?' | 'u32?'
          ? number | undefined
          : K extends 'ops'
            ? readonly UpdateOp[]
            : K extends 'json'
              ? JsonText
              : JsonText | undefined

/** An input after it was read. */
export type InputOf<F extends Record<string, Kind>> = { readonly [N in keyof F]: Value<F[N]> }

/**
 * Reads the input of a built-in; unknown keys are ignored.
 *
 * @throws EngineError `deserialization_error` with the text the engine gives for the same mistake.
 */
export function decodeInput<F extends Record<string, Kind>>(
  functionId: string,
  shape: InputShape<F>,
  data: JsonText,
): InputOf<F> {
  try {
    return decode(shape, data) as InputOf<F>
  } catch (error) {
    if (!(error instanceof Mismatch)) throw error
    throw new EngineError('deserialization_error', `Failed to deserialize input for ${functionId}: ${error.message}`)
  }
}

function decode(shape: InputShape<Record<string, Kind>>, data: JsonText): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  const items = toItems(data)
  for (const [key, text] of items ? inOrder(shape, items) : inputMembers(shape, data)) {
    const name = own(shape.aliases ?? {}, key) ?? key
    const kind = own(shape.fields, name)
    if (!kind) continue
    if (name in values) throw new Mismatch(`duplicate field \`${name}\``)
    values[name] = READERS[kind](text)
  }
  const missing = Object.entries(shape.fields).find(([name, kind]) => !kind.endsWith('?') && !(name in values))
  if (missing) throw new Mismatch(items ? tooFew(shape, items) : `missing field \`${missing[0]}\``)
  return values
}

/** A key of the caller's choice may be one that every object inherits. */
function own<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined
}

function inputMembers(shape: InputShape<Record<string, Kind>>, data: JsonText): Iterable<[string, JsonText]> {
  return toMembers(data) ?? mismatch(data, `struct ${shape.struct}`)
}

/** An array stands for the fields in order. */
function inOrder(shape: InputShape<Record<string, Kind>>, items: readonly JsonText[]): [string, JsonText][] {
  const names = Object.keys(shape.fields)
  if (items.length > names.length) {
    throw new Mismatch(`invalid length ${items.length}, expected fewer elements in array`)
  }
  return items.map((text, i) => [names[i] ?? '', text])
}

function tooFew(shape: InputShape<Record<string, Kind>>, items: readonly JsonText[]): string {
  const count = Object.keys(shape.fields).length
  return `invalid length ${items.length}, expected struct ${shape.struct} with ${count} element${count === 1 ? '' : 's'}`
}

const READERS: { readonly [K in Kind]: (text: JsonText) => unknown } = {
  string: (text) => toStringValue(text) ?? mismatch(text, 'a string'),
  'string?': (text) => (text === 'null' ? undefined : READERS.string(text)),
  'strings?': (text) => {
    if (text === 'null') return undefined
    return (toItems(text) ?? mismatch(text, 'a sequence')).map((item) => READERS.string(item))
  },
  'boolean?': (text) => {
    if (text === 'null') return undefined
    return text === 'true' || (text === 'false' ? false : mismatch(text, 'a boolean'))
  },
  'usize?': (text) => readUnsigned(text, 'usize'),
  'u32?': (text) => readUnsigned(text, 'u32'),
  json: (text) => text,
  'json?': (text) => (text === 'null' ? undefined : text),
  ops: decodeOps,
}

function readUnsigned(text: JsonText, type: 'usize' | 'u32'): number | undefined {
  if (text === 'null') return undefined
  if (!/^-?\d+$/.test(text)) return mismatch(text, type)
  if (text.startsWith('-') || (type === 'u32' && Number(text) > 0xffffffff)) {
    throw new Mismatch(`invalid value: integer \`${text}\`, expected ${type}`)
  }
  return Number(text)
}

const TYPES: { readonly [K in Kind]: JsonText | undefined } = {
  string: '"string"',
  'string?': '["string","null"]',
  'strings?': '["array","null"]',
  'boolean?': '["boolean","null"]',
  'usize?': '["integer","null"]',
  'u32?': '["integer","null"]',
  json: undefined,
  'json?': undefined,
  ops: '"array"',
}

/** The JSON Schema a built-in shows for its input. */
export function inputSchema(shape: InputShape<Record<string, Kind>>): JsonText {
  const properties: Record<string, JsonText> = {}
  for (const [name, kind] of Object.entries(shape.fields)) {
    const description = shape.describe?.[name]
    properties[name] = objectText({
      description: description === undefined ? undefined : quote(description),
      items: kind === 'strings?' ? '{"type":"string"}' : undefined,
      type: TYPES[kind],
    })
  }
  const required = Object.keys(shape.fields).filter((name) => !shape.fields[name]?.endsWith('?'))
  return objectText({
    $schema: quote('http://json-schema.org/draft-07/schema#'),
    title: quote(shape.struct),
    type: '"object"',
    properties: Object.keys(properties).length > 0 ? objectText(properties) : undefined,
    required: required.length > 0 ? arrayText(required.sort().map(quote)) : undefined,
  })
}
