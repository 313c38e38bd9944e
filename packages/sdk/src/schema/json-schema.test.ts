import { expect, it } from 'vitest'
import { z } from 'zod'
import { toJsonSchema } from './json-schema.ts'

it('has the descriptions of types of another copy of zod, which that copy alone keeps', () => {
  const name = z.string()
  Object.defineProperty(name, 'meta', { value: () => ({ id: 'Name', title: 'Name', description: 'Who' }) })
  expect(toJsonSchema(z.object({ name, other: z.string().describe('Another') }), 'input')).toMatchObject({
    properties: {
      name: { type: 'string', title: 'Name', description: 'Who' },
      other: { type: 'string', description: 'Another' },
    },
  })
})
