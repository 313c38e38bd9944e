import { z } from 'zod'
import { ignoreOverride, zodToJsonSchema } from 'zod-to-json-schema'

/** A JSON Schema as it goes to the engine. */
export type JsonSchema = Record<string, unknown>

/** What this package needs to know of a zod 3 type, and of one of another copy of zod 4; workers that have those pass theirs. */
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

/** What a function does with keys of a payload that its schema does not have. */
export type UnknownKeys = 'refuse' | 'ignore'

/**
 * The draft-07 JSON Schema of a zod 4 or zod 3 type; a plain JSON Schema passes as it is.
 *
 * @param io `input`: what a caller sends (defaults are optional); `output`: what a caller gets.
 * @param unknownKeys of what a caller sends; where they are refused, objects say that they take nothing else
 */
export function toJsonSchema(
  schema: ZodSchema | JsonSchema,
  io: 'input' | 'output',
  unknownKeys: UnknownKeys = 'ignore',
): JsonSchema {
  if (isZod3(schema)) return zod3ToJsonSchema(schema, io, unknownKeys)
  if (!isZod4(schema)) return schema
  if (io === 'output' || unknownKeys === 'ignore') return zod4ToJsonSchema(schema, io)
  const closed = zod4ToJsonSchema(schema, io, closeObject)
  return hasSides(closed) ? zod4ToJsonSchema(schema, io) : closed
}

/**
 * The JSON Schema that tells which keys a caller may send, for a search in what was sent: a preparation (`z.preprocess`) may take any, and
 * the sides of an intersection are closed, each for itself.
 */
export function toKeySchema(schema: ZodSchema): JsonSchema {
  return isZod4(schema)
    ? zod4ToJsonSchema(schema, 'input', openPrepared)
    : zod3ToJsonSchema(schema, 'input', 'refuse', true)
}

type Zod4Override = (context: { zodSchema: z.core.$ZodTypes; jsonSchema: z.core.JSONSchema.BaseSchema }) => void

function zod4ToJsonSchema(schema: z.ZodType, io: 'input' | 'output', override: Zod4Override = () => {}): JsonSchema {
  return z.toJSONSchema(schema, {
    ...({ target: 'draft-7', io, unrepresentable: 'any' } as const),
    override(context) {
      describe(context)
      override(context)
    },
  }) as JsonSchema
}

/** Types of another copy of zod, which a project may have, keep their descriptions where ours does not look. */
const describe: Zod4Override = ({ zodSchema, jsonSchema }) => {
  if (z.globalRegistry.get(zodSchema) !== undefined || !('meta' in zodSchema)) return
  const { id: _, ...own } = (zodSchema as unknown as z.ZodType).meta() ?? {}
  Object.assign(jsonSchema, own)
}

const closeObject: Zod4Override = ({ zodSchema, jsonSchema }) => {
  const { def } = zodSchema._zod
  if (def.type === 'object' && def.catchall === undefined) jsonSchema.additionalProperties ??= false
}

const openPrepared: Zod4Override = (context) => {
  const { def } = context.zodSchema._zod
  if (def.type !== 'pipe' || def.in._zod.def.type !== 'transform') return closeObject(context)
  for (const key of Object.keys(context.jsonSchema)) delete context.jsonSchema[key]
}

/** Whether objects stand beside each other in an `allOf`. Closed, each would refuse what the other takes. */
function hasSides(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return false
  const { allOf } = schema as JsonSchema
  const isApart =
    Array.isArray(allOf) && allOf.filter((side: JsonSchema) => 'properties' in side || '$ref' in side).length > 1
  return isApart || Object.values(schema).some(hasSides)
}

function zod3ToJsonSchema(
  schema: Zod3Type,
  io: 'input' | 'output',
  unknownKeys: UnknownKeys,
  isPreparedOpen = false,
): JsonSchema {
  return zodToJsonSchema(schema as unknown as Parameters<typeof zodToJsonSchema>[0], {
    target: 'jsonSchema7',
    pipeStrategy: io,
    effectStrategy: io === 'input' ? 'input' : 'any',
    removeAdditionalStrategy: io === 'input' && unknownKeys === 'ignore' ? 'strict' : 'passthrough',
    override: (definition) => (isPreparedOpen && isPreparation(definition) ? {} : ignoreOverride),
  }) as JsonSchema
}

function isPreparation(definition: object): boolean {
  return 'effect' in definition && (definition.effect as { type?: unknown }).type === 'preprocess'
}
