import { z } from 'zod'
import { zodToJsonSchema } from 'zod-to-json-schema'

/** A JSON Schema as it goes to the engine. */
export type JsonSchema = Record<string, unknown>

/** What this package needs to know of a zod 3 type; workers still on zod 3 pass theirs. */
export interface Zod3Type<Output = unknown, Input = unknown> {
  readonly _output: Output
  readonly _input: Input
  readonly _def: object
  safeParse(value: unknown): { success: true; data: Output } | { success: false; error: { issues: readonly Issue[] } }
  safeParseAsync(
    value: unknown,
  ): Promise<{ success: true; data: Output } | { success: false; error: { issues: readonly Issue[] } }>
}

/** One thing that is wrong with a value, as both zod versions report it. */
export interface Issue {
  path: readonly PropertyKey[]
  message: string
}

/** A schema that also validates and types: zod 4 or zod 3. */
export type ZodSchema = z.ZodType | Zod3Type

/** What a function is registered with. */
export type AnySchema = ZodSchema | JsonSchema

/** What the handler gets when the schema has accepted a payload. */
export type OutputOf<S> = S extends z.ZodType ? z.output<S> : S extends Zod3Type<infer Output> ? Output : unknown

export function isZod4(schema: object): schema is z.ZodType {
  return '_zod' in schema
}

/** zod 3 types carry their kind as `_def.typeName`, which zod 4 dropped. */
export function isZod3(schema: object): schema is Zod3Type {
  const definition: unknown = '_def' in schema ? schema._def : undefined
  if (typeof definition !== 'object' || definition === null || !('typeName' in definition)) return false
  return typeof definition.typeName === 'string' && definition.typeName.startsWith('Zod')
}

/**
 * The draft-07 JSON Schema of a zod 4 or zod 3 type; a plain JSON Schema passes as it is.
 *
 * @param io `input`: what a caller sends (defaults are optional); `output`: what a caller gets.
 */
export function toJsonSchema(schema: ZodSchema | JsonSchema, io: 'input' | 'output'): JsonSchema {
  if (isZod4(schema)) return z.toJSONSchema(schema, { target: 'draft-7', io, unrepresentable: 'any' }) as JsonSchema
  if (isZod3(schema)) return zod3ToJsonSchema(schema, io)
  return schema
}

function zod3ToJsonSchema(schema: Zod3Type, io: 'input' | 'output'): JsonSchema {
  return zodToJsonSchema(schema as unknown as Parameters<typeof zodToJsonSchema>[0], {
    target: 'jsonSchema7',
    pipeStrategy: io,
    effectStrategy: io === 'input' ? 'input' : 'any',
  }) as JsonSchema
}
