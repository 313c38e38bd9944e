import { expect, it } from 'vitest'
import { z } from 'zod'
import * as mini from 'zod/mini'
import { z as z3 } from 'zod/v3'
import type { ZodSchema } from './json-schema.ts'
import { findUnsendable } from './unsendable.ts'

const inZod4 = 'z.iso.datetime() takes its text'
const day = z.date()
const inZod3 = 'z.string().datetime() takes its text'

it.each<[ZodSchema, string]>([
  [z.date(), `a Date, which no JSON is: ${inZod4}`],
  [z.object({ since: z.date() }), `a Date at since, which no JSON is: ${inZod4}`],
  [mini.object({ since: mini.date() }) as unknown as ZodSchema, `a Date at since, which no JSON is: ${inZod4}`],
  [z.object({ a: z.array(z.object({ b: z.date().min(new Date(0)).nullish() })) }), 'a Date at a[0].b, which'],
  [z.object({ at: z.tuple([z.string(), z.date().transform(Number)]) }), 'a Date at at[1], which'],
  [z.intersection(z.object({}), z.object({ n: z.bigint().readonly() })), 'a bigint at n, which'],
  [z.record(z.string(), z.union([z.map(z.string(), z.int()), z.set(z.int())])), 'a Map at *, which'],
  [z.object({ file: z.lazy(() => z.file()) }), 'a File at file, which no JSON is: z.base64() takes its bytes'],
  [z3.object({ since: z3.date().refine(Boolean).optional() }), `a Date at since, which no JSON is: ${inZod3}`],
  [z3.array(z3.tuple([z3.date().brand('day').pipe(z3.date())])), 'a Date at [0][0], which'],
  [z3.object({ n: z3.union([z3.bigint(), z3.set(z3.string())]) }), 'a bigint at n, which'],
  [z.object({ either: z.union([z.string(), day]), from: day, to: day }), 'a Date at from, which'],
])('finds what no call can bring (%#)', (schema, says) => {
  expect(findUnsendable(schema)).toContain(says)
})

interface Tree {
  children: Tree[]
}
const tree: z.ZodType<Tree> = z.lazy(() => z.object({ children: z.array(tree) }))

it.each<[ZodSchema]>([
  [z.object({ since: z.iso.datetime().transform((text) => new Date(text)) })],
  [z.codec(z.iso.datetime(), z.date(), { decode: (text) => new Date(text), encode: (date) => date.toISOString() })],
  [z.object({ since: z.coerce.date(), n: z.coerce.bigint() })],
  [z.preprocess((text) => new Date(String(text)), z.date())],
  [z.object({ now: z.date().default(() => new Date()), day: z.date().catch(new Date(0)) })],
  [z.union([z.iso.datetime(), z.date()])],
  [z.instanceof(URL)],
  [tree],
  [z3.object({ since: z3.coerce.date(), now: z3.date().default(new Date()), either: z3.date().or(z3.string()) })],
  [z3.preprocess((text) => new Date(String(text)), z3.date())],
])('leaves alone what a call may bring or leave out (%#)', (schema) => {
  expect(findUnsendable(schema)).toBeUndefined()
})
