import { expect, it } from 'vitest'
import { z } from 'zod'
import { z as z3 } from 'zod/v3'
import { isAsynchronous } from './asynchronous.ts'

const later = async () => true
const late = z.string().refine(later)
const late3 = z3.string().refine(later)

it.each<[string, object]>([
  [
    'an object of zod 4',
    z.object({
      get more() {
        return z.array(z.string())
      },
      type: z.enum(['a']).default('a'),
      name: z.string().trim().min(1).optional(),
      any: z.union([z.iso.datetime(), z.tuple([z.coerce.number().catch(1)])]),
    }),
  ],
  ['any JSON', z.json()],
  [
    'an object of zod 3',
    z3.object({ type: z3.enum(['a']).default('a'), kind: z3.array(z3.union([z3.string().email(), z3.null()])) }),
  ],
])('%s is looked at at once', (_, schema) => {
  expect(isAsynchronous(schema)).toBe(false)
})

it.each<[string, object]>([
  ['a refinement', z.object({ type: z.array(late).optional() })],
  [
    'a check',
    z.object({
      check: z.record(
        z.string(),
        z.string().check(() => undefined),
      ),
    }),
  ],
  ['a check of a property', z.string().check(z.property('length', z.number().refine(later)))],
  ['a transformation', z.string().transform(later)],
  ['a preparation', z.preprocess(later, z.string())],
  ['a codec', z.codec(z.string(), z.string(), { decode: String, encode: String })],
  ['a type of its own', z.union([z.string(), z.custom(later)])],
  ['a promise', z.promise(z.string())],
  ['a lazy type', z.lazy(() => late)],
  ['what else an object holds', z.object({}).catchall(late)],
  ['a refinement of zod 3', z3.object({ type: z3.array(late3).optional() })],
  ['a transformation of zod 3', z3.string().transform(later)],
  ['a promise of zod 3', z3.promise(z3.string())],
  ['a lazy type of zod 3', z3.lazy(() => late3)],
  ['a form of zod 3', z3.discriminatedUnion('kind', [z3.object({ kind: z3.literal('a'), text: late3 })])],
])('a type with %s may take longer', (_, schema) => {
  expect(isAsynchronous(schema)).toBe(true)
})
