import type { Issue } from './json-schema.ts'

const MAX_ISSUES_TOLD = 5

/**
 * Says in one line what is wrong with a value, one `field: rule` per issue. What zod says in its own words is said so that a person
 * reads what would be right; what the author of a schema wrote stays.
 *
 * @param name of the value, put before its fields; without it the value itself is called `payload`
 *
 * @example
 * formatIssues([{ path: ['items', 0, 'amount'], message: 'Invalid input: expected number, received string' }])
 * // 'items[0].amount: must be a number, not a string'
 */
export function formatIssues(issues: readonly Issue[], name = ''): string {
  const told = issues.slice(0, MAX_ISSUES_TOLD).map((issue) => {
    return `${formatPath(name, issue.path) || 'payload'}: ${formatRule(issue)}`
  })
  const more = issues.length - told.length
  return more > 0 ? `${told.join('; ')}; and ${more} more` : told.join('; ')
}

export function formatPath(name: string, path: readonly PropertyKey[]): string {
  let text = name
  for (const key of path) {
    if (typeof key === 'number') text += `[${key}]`
    else text += text === '' ? String(key) : `.${String(key)}`
  }
  return text
}

/** What zod adds to some issues. */
interface Details {
  /** The issues of each form of a union: zod 4, zod 3. */
  errors?: readonly (readonly Issue[])[]
  unionErrors?: readonly { issues: readonly Issue[] }[]
  /** What is wrong with a key. */
  issues?: readonly Issue[]
}

function formatRule(issue: Issue): string {
  const { errors, unionErrors, issues } = issue as Issue & Details
  const forms = errors ?? unionErrors?.map((error) => error.issues)
  if (issue.message === 'Invalid input') return forms?.length ? formatForms(forms) : 'is not valid'
  const [first] = issue.message.startsWith('Invalid key in ') ? (issues ?? []) : []
  return first === undefined ? reword(issue.message) : `has a key that ${formatRule(first)}`
}

/** `must be a string or null`, where each form of a union asks for one thing of the value itself. */
function formatForms(forms: readonly (readonly Issue[])[]): string {
  const asked = forms.map(([first, ...others]) => {
    const rule = first?.path.length === 0 && others.length === 0 ? formatRule(first) : ''
    return /^must be ([^,]+)/.exec(rule)?.[1]
  })
  return asked.includes(undefined)
    ? 'fits none of the forms that are allowed'
    : `must be ${[...new Set(asked)].join(' or ')}`
}

function reword(message: string): string {
  for (const [pattern, toText] of WORDINGS) {
    const found = pattern.exec(message)
    if (found !== null) return toText(...found.slice(1))
  }
  return message.charAt(0).toLowerCase() + message.slice(1)
}

/** The sentences of zod 4 and zod 3 in English, and what they mean. */
const WORDINGS: readonly (readonly [RegExp, (...parts: string[]) => string])[] = [
  [/^(?:Invalid input: e|E)xpected (\S+), received (\S+)$/, formatType],
  [/^Required$/, () => 'is required'],
  [/^Invalid option: expected one of (.+)$/s, (options = '') => `must be one of ${options.replaceAll('"|"', '", "')}`],
  [/^Invalid (?:enum|discriminator) value\. Expected (.+?)(?:, received .*)?$/s, formatOptions],
  [/^Invalid (?:input:|literal value,) expected (.+)$/s, (value) => `must be ${value}`],
  [/^Too (?:small|big): expected \S+ to (have|be) (>=|>|<=|<|exactly )(\S+)(.*)$/s, formatLimit],
  [/^Invalid (?:string|number): must match pattern (.+)$/s, (pattern) => `must match the pattern ${pattern}`],
  [/^(?:Invalid (?:string|number): |(?:String|Number|Array|Set|Date|BigInt) )must (.+)$/s, (rule) => `must ${rule}`],
  [/^Invalid lowercase$/, () => 'must be in lower case'],
  [/^Invalid uppercase$/, () => 'must be in upper case'],
  [
    /^Invalid (email(?: address)?|url|uuid|ISO \w+|IPv[46] \w+|base64\S* string|[A-Z]+v?\d?)$/i,
    (what) => `must be a valid ${what}`,
  ],
  [/^Unrecognized key(?:\(s\) in object)?: (.+)$/s, (key) => `must not have the key ${key}`],
  [/^Unrecognized keys: (.+)$/s, (keys) => `must not have the keys ${keys}`],
]

const NOUNS: ReadonlyMap<string, string> = new Map([
  ['boolean', 'true or false'],
  ['int', 'a whole number'],
  ['integer', 'a whole number'],
  ['bigint', 'a whole number'],
  ['float', 'a number'],
  ['array', 'a list'],
  ['tuple', 'a list'],
  ['object', 'an object'],
  ['record', 'an object'],
  ['null', 'null'],
  ['NaN', 'NaN'],
  ['nan', 'NaN'],
])

function toNoun(type: string): string {
  return NOUNS.get(type) ?? `a ${type}`
}

function formatType(expected = '', received = ''): string {
  if (expected === 'never') return 'must not be given'
  if (expected === 'nonoptional') return 'is required'
  const rule = `must be ${toNoun(expected)}`
  if (received === 'undefined') return `${rule}, but it is missing`
  const given = received === 'boolean' ? 'a boolean' : toNoun(received)
  return rule === 'must be a whole number' && given === 'a number' ? rule : `${rule}, not ${given}`
}

function formatOptions(options = ''): string {
  return `must be one of ${options.replaceAll("' | '", "', '")}`
}

function formatLimit(verb = '', operator = '', limit = '', unit = ''): string {
  if (verb === 'have' && operator === '>=' && limit === '1') return 'must not be empty'
  const words = { '>=': 'at least ', '>': 'more than ', '<=': 'at most ', '<': 'less than ', 'exactly ': 'exactly ' }
  const quantity = limit === '1' ? unit.replace(/s$/, '') : unit
  return `must ${verb} ${words[operator as keyof typeof words] ?? ''}${limit}${quantity}`
}
