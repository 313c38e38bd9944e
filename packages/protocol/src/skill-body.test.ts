import { describe, expect, it } from 'vitest'
import { checkSkillBody, MAX_SKILL_BYTES } from './skill-body.ts'

describe('a skill body', () => {
  it.each([' ', 'x', 'a'.repeat(MAX_SKILL_BYTES), 'é'.repeat(MAX_SKILL_BYTES / 2), '😀'])('may be %.20j', (body) => {
    expect(checkSkillBody(body)).toBeUndefined()
  })

  it.each([
    ['', 'skill must be non-empty'],
    ['a'.repeat(MAX_SKILL_BYTES + 1), 'skill body too large (262145 bytes; max 262144)'],
    [`${'é'.repeat(MAX_SKILL_BYTES / 2)}é`, 'skill body too large (262146 bytes; max 262144)'],
    ['# a\ud800', 'skill is not well-formed Unicode: half of a surrogate pair at index 3; send whole characters'],
    ['\udc00', 'skill is not well-formed Unicode: half of a surrogate pair at index 0; send whole characters'],
  ])('may not be %.20j', (body, problem) => {
    expect(checkSkillBody(body)).toBe(problem)
  })
})
