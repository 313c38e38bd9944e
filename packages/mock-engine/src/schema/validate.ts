import { toMembers, toStringValue } from '../json/build.ts'
import type { JsonText } from '../json/json-text.ts'
import type { Validate } from './keyword.ts'
import { KEYWORDS } from './keywords.ts'
import { resolve } from './resolve.ts'

/**
 * Holds a JSON value against a JSON Schema: the keywords of draft 2020-12 about types, numbers, strings, arrays and objects,
 * those that combine schemas, and references within the document. Keywords apply in the order of their names.
 *
 * @param schema - one that `checkSchema` has nothing against.
 * @param root - the document that it is a part of.
 * @returns a sentence for each thing that is wrong, none for a valid value.
 */
export function validate(schema: JsonText, value: JsonText, root: JsonText = schema): string[] {
  const check: Validate = (rule, part) => {
    if (rule === 'true') return []
    if (rule === 'false') return [`False schema does not allow ${part}`]
    const members = toMembers(rule) ?? new Map<string, JsonText>()
    return [...members.keys()].sort().flatMap((keyword) => {
      if (keyword === '$ref') return check(resolve(toStringValue(members.get('$ref')) ?? '#', root) ?? 'true', part)
      const argument = members.get(keyword) ?? 'null'
      return KEYWORDS[keyword]?.({ argument, schema: members, check }, part) ?? []
    })
  }
  return check(schema, value)
}
