import { describe, expect, it } from 'vitest'
import { checkSchema } from './check-schema.ts'

describe('checkSchema', () => {
  // Measured on 0.22.1.
  it.each([
    ['{"minimum":"x"}', '"x" is not of type "number"'],
    ['{"exclusiveMinimum":true}', 'true is not of type "number"'],
    ['{"multipleOf":0}', '0 is less than or equal to the minimum of 0'],
    ['{"minLength":1.5}', '1.5 is not of type "integer"'],
    ['{"maxItems":-1}', '-1 is less than the minimum of 0'],
    ['{"required":"a"}', '"a" is not of type "array"'],
    ['{"required":[1]}', '1 is not of type "string"'],
    ['{"required":["a","a"]}', '["a","a"] has non-unique elements'],
    ['{"enum":{}}', '{} is not of type "array"'],
    ['{"pattern":5}', '5 is not of type "string"'],
    ['{"uniqueItems":"x"}', '"x" is not of type "boolean"'],
    ['{"properties":[]}', '[] is not of type "object"'],
    ['{"anyOf":[]}', '[] has less than 1 item'],
    ['{"dependentRequired":{"a":1}}', '1 is not of type "array"'],
    ['{"$ref":5}', '5 is not of type "string"'],
    ['{"$schema":"nope"}', 'Unknown specification: nope'],
    ['{"properties":{"a":{"minimum":"x"}}}', '"x" is not of type "number"'],
  ])('says what is wrong with %s', (schema, problem) => {
    expect(checkSchema(schema)).toBe(problem)
  })

  it.each([
    '{"$schema":"https://json-schema.org/draft/2020-12/schema"}',
    '{"$schema":"http://json-schema.org/draft-07/schema#","title":"t","minimum":1.5,"minLength":2,"required":["a"]}',
  ])('has nothing against %s', (schema) => {
    expect(checkSchema(schema)).toBeUndefined()
  })
})
