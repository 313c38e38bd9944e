import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  checkFunctionId,
  checkPromptArguments,
  checkPromptDescription,
  checkPromptFunctionId,
  checkPromptName,
  checkSkillId,
  checkSkillPath,
  RESERVED_SKILL_ROOTS,
} from './ids.ts'
import { checkSkillBody } from './skill-body.ts'

const charset = "segment may only contain lowercase ASCII letters, digits, '-' and '_'"
const a64 = 'a'.repeat(64)
const a65 = 'a'.repeat(65)
/** 15 segments of 64, 14 slashes and the rest: exactly 1024. */
const a1024 = `${`${a64}/`.repeat(15)}${'b'.repeat(49)}`

describe('a skill id', () => {
  it.each([
    'a',
    'orders',
    'orders/refunds',
    'a/b/c/d/e',
    '0',
    '-',
    '_',
    'a-b_c9',
    'fnord',
    'docs/fn-reference',
    'docs/fn',
    'skill',
    'docs/skills',
    a64,
    a1024,
  ])('may be %j', (id) => {
    expect(checkSkillId(id)).toBeUndefined()
  })

  it.each([
    ['', 'id must be non-empty'],
    ['/', `id may not have a leading or trailing '/': "/"`],
    ['/a', `id may not have a leading or trailing '/': "/a"`],
    ['a/', `id may not have a leading or trailing '/': "a/"`],
    [`${a1024}b`, `id too long (1025 chars; max 1024): "${a1024}b"`],
    ['é'.repeat(513), `id too long (1026 chars; max 1024): "${'é'.repeat(513)}"`],
    ['a//b', 'invalid id (segment 2 of "a//b"): segment must be non-empty'],
    [a65, `invalid id (segment 1 of "${a65}"): segment too long (65 chars; max 64): "${a65}"`],
    [`x/${a65}`, `invalid id (segment 2 of "x/${a65}"): segment too long (65 chars; max 64): "${a65}"`],
    ['Orders', `invalid id (segment 1 of "Orders"): ${charset}: "Orders"`],
    ['a b', `invalid id (segment 1 of "a b"): ${charset}: "a b"`],
    ['a/b::c', `invalid id (segment 2 of "a/b::c"): ${charset}: "b::c"`],
    ['é', `invalid id (segment 1 of "é"): ${charset}: "é"`],
    ['a.b', `invalid id (segment 1 of "a.b"): ${charset}: "a.b"`],
    ['a\n', `invalid id (segment 1 of "a\n"): ${charset}: "a\n"`],
    ['\ud800', `invalid id (segment 1 of "\ufffd"): ${charset}: "\ufffd"`],
    ['fn', 'id may not have "fn" as its first segment (reserved as the iii://fn/ section-URI marker): "fn"'],
    ['fn/a', 'id may not have "fn" as its first segment (reserved as the iii://fn/ section-URI marker): "fn/a"'],
    ['skills', 'id may not have "skills" as its first segment (reserved for the index at iii://skills): "skills"'],
    ['skills/a', 'id may not have "skills" as its first segment (reserved for the index at iii://skills): "skills/a"'],
    [
      'functions',
      'id may not have "functions" as its first segment (reserved for what the MCP bridge serves at iii://functions): "functions"',
    ],
    [
      'context/a',
      'id may not have "context" as its first segment (reserved for what the MCP bridge serves at iii://context): "context/a"',
    ],
  ])('may not be %j', (id, problem) => {
    expect(checkSkillId(id)).toBe(problem)
  })

  it.each(RESERVED_SKILL_ROOTS)('that an older store has under %s can still be read and removed', (root) => {
    expect(checkSkillId(`${root}/a`)).toContain('reserved')
    expect(checkSkillPath(`${root}/a`)).toBeUndefined()
    expect(checkSkillPath(root)).toBeUndefined()
  })

  it('is refused without megabytes of echo', () => {
    expect(checkSkillId('x'.repeat(4_000_000))?.length).toBeLessThan(1300)
    expect(checkSkillId('é/'.repeat(1_000_000))?.length).toBeLessThan(1300)
  })

  it('is accepted exactly when one pattern over the whole id matches', () => {
    const pattern =
      /^(?!(?:fn|functions|workers|triggers|context|skills)(?:\/|$))[a-z0-9_-]{1,64}(?:\/[a-z0-9_-]{1,64})*$/
    const pieces = fc.constantFrom(
      'a',
      'fn',
      'skills',
      'context',
      '/',
      '/',
      '-',
      '_',
      '9',
      'A',
      ':',
      '.',
      ' ',
      '\n',
      'é',
      '\ud800',
      a64,
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 20 }), (parts) => {
        const id = parts.join('')
        const ok = pattern.test(id) && id.length <= 1024
        expect(checkSkillId(id) === undefined).toBe(ok)
      }),
      { numRuns: 2000 },
    )
  })
})

describe('a prompt', () => {
  const names = "name may only contain lowercase ASCII letters, digits, '-' and '_'"

  it.each([
    ['', 'name must be non-empty'],
    [a65, 'name too long (65 chars; max 64)'],
    ['é'.repeat(33), 'name too long (66 chars; max 64)'],
    ['Send', `${names}: "Send"`],
    ['a b', `${names}: "a b"`],
    ['a::b', `${names}: "a::b"`],
    ['a/b', `${names}: "a/b"`],
    ['a\n', `${names}: "a\n"`],
    ['refund-order', undefined],
    [a64, undefined],
    ['_', undefined],
  ])('with the name %j: %j', (name, problem) => {
    expect(checkPromptName(name)).toBe(problem)
  })

  it.each([
    ['', 'description must be non-empty'],
    [' \n\t', 'description must be non-empty'],
    ['a\ud800', 'description is not well-formed Unicode: half of a surrogate pair at index 1; send whole characters'],
    [' Refund an order ', undefined],
  ])('with the description %j: %j', (description, problem) => {
    expect(checkPromptDescription(description)).toBe(problem)
  })

  it.each([
    ['', 'function_id must be non-empty'],
    ['  ', 'function_id must be non-empty'],
    ['a'.repeat(1025), 'function_id too long (1025 bytes; max 1024)'],
    ['\udc00a', 'function_id is not well-formed Unicode: half of a surrogate pair at index 0; send whole characters'],
    ['orders::refund_prompt', undefined],
    ['any.thing/the engine takes', undefined],
    ['a'.repeat(1024), undefined],
  ])('with the handler %.30j: %j', (id, problem) => {
    expect(checkPromptFunctionId(id)).toBe(problem)
    expect(checkFunctionId(id)).toBe(problem)
  })

  it.each([
    [[], undefined],
    [['to', 'To', ' to'], undefined],
    [[''], 'argument name must be non-empty'],
    [['a', ' '], 'argument name must be non-empty'],
    [['to', 'subject', 'to'], 'duplicate argument name: to'],
    [['a', 'a', ''], 'duplicate argument name: a'],
    [
      ['\ud800'],
      'argument name is not well-formed Unicode: half of a surrogate pair at index 0; send whole characters',
    ],
  ])('with the arguments %j: %j', (argumentNames, problem) => {
    expect(checkPromptArguments(argumentNames.map((name) => ({ name })))).toBe(problem)
  })
})

it('every validator answers for every text', () => {
  const texts = fc.string({ unit: fc.nat(0xffff).map((unit) => String.fromCharCode(unit)) })
  const checks = [checkSkillId, checkSkillBody, checkPromptName, checkPromptDescription, checkFunctionId]
  fc.assert(
    fc.property(texts, (text) => {
      for (const check of checks) expect(check(text)?.isWellFormed() ?? true).toBe(true)
    }),
  )
})
