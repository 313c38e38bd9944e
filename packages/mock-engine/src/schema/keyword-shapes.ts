import { toText } from '../json/build.ts'

const STRING = { type: 'string' }
const BOOLEAN = { type: 'boolean' }
const NUMBER = { type: 'number' }
const COUNT = { type: 'integer', minimum: 0 }
const OBJECT = { type: 'object' }
const LIST = { type: 'array' }
const SOME = { type: 'array', minItems: 1 }
const NAMES = { type: 'array', items: STRING, uniqueItems: true }

/** The schema of what the keywords of a schema may be, but for `type` and what is a schema itself. */
export const KEYWORD_SHAPES = toText({
  properties: {
    ...all(STRING, '$id', '$ref', '$schema', 'description', 'format', 'pattern', 'title'),
    ...all(BOOLEAN, 'deprecated', 'readOnly', 'uniqueItems', 'writeOnly'),
    ...all(NUMBER, 'exclusiveMaximum', 'exclusiveMinimum', 'maximum', 'minimum'),
    multipleOf: { type: 'number', exclusiveMinimum: 0 },
    ...all(COUNT, 'maxContains', 'maxItems', 'maxLength', 'maxProperties', 'minContains', 'minItems', 'minLength'),
    ...all(COUNT, 'minProperties'),
    ...all(OBJECT, '$defs', 'definitions', 'dependentSchemas', 'patternProperties', 'properties'),
    dependentRequired: { type: 'object', additionalProperties: NAMES },
    required: NAMES,
    ...all(LIST, 'enum', 'examples'),
    ...all(SOME, 'allOf', 'anyOf', 'oneOf', 'prefixItems'),
  },
})

function all(shape: object, ...keywords: readonly string[]): Record<string, object> {
  return Object.fromEntries(keywords.map((keyword) => [keyword, shape]))
}
