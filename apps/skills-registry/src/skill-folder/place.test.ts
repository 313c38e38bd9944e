import { checkSkillId } from '@iii/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatSkillPlace, parseSkillPlace } from './place.ts'

const segment = fc.oneof(
  fc.stringMatching(/^[a-z0-9_-]{1,12}$/),
  fc.constantFrom('skill', 'skills', 'fn', 'a', 'md', 'references'),
)
const id = fc
  .array(segment, { minLength: 1, maxLength: 5 })
  .map((segments) => segments.join('/'))
  .filter((text) => checkSkillId(text) === undefined)
const form = fc.constantFrom('folder' as const, 'file' as const)

describe('the place of a skill in a folder', () => {
  it.each([
    ['orders/SKILL.md', 'orders'],
    ['orders.md', 'orders'],
    ['orders/refunds.md', 'orders/refunds'],
    ['orders/refunds/SKILL.md', 'orders/refunds'],
    ['skill/SKILL.md', 'skill'],
    ['md.md', 'md'],
    ['README.md', 'readme'],
    ['Orders/SKILL.md', 'orders'],
    ['pdf/references/FORMS.md', 'pdf/references/forms'],
    ['My Orders/Getting  started.md', 'my-orders/getting-started'],
    ['orders/v1.2.md', 'orders/v1-2'],
    ['orders.MD', 'orders'],
    ['README.md.md', 'readme-md'],
    ['_Sidebar.md', '_sidebar'],
  ])('%s is the skill %s', (path, expected) => {
    expect(parseSkillPlace(path)).toEqual({ id: expected })
  })

  it.each([
    ['C++.md', 'call it c.md'],
    ['My & Orders/SKILL.md', 'call it my-orders/SKILL.md'],
    ['orders/Öfter gefragt?.md', 'call it orders/ofter-gefragt.md'],
    ['orders/skill.md', 'call it orders/SKILL.md, or give it a name of its own'],
    ['Skill.md', 'call it SKILL.md, or give it a name of its own'],
    [`${'a'.repeat(65)}.md`, `segment too long (65 chars; max 64)`],
    [`${'A'.repeat(65)}.md`, `segment too long (65 chars; max 64)`],
    ['Functions/A.md', 'id may not have "functions" as its first segment'],
    ['functions/a.md', 'id may not have "functions" as its first segment'],
    ['skills/pdf/SKILL.md', 'import the folder skills itself, and it is pdf'],
    ['Skills/My Team/pdf.md', 'import the folder Skills itself, and it is my-team/pdf'],
    ['SKILL.md', 'id must be non-empty'],
    ['.md', 'id must be non-empty'],
    ['../a.md', 'call it a.md'],
    ['日本.md', 'invalid id'],
  ])('%s is none, and it says what would be right', (path, problem) => {
    expect(parseSkillPlace(path)).toEqual({ problem: expect.stringContaining(problem) })
  })

  it('and its id are one to one, in each form', () => {
    fc.assert(
      fc.property(id, form, (text, chosen) => {
        expect(parseSkillPlace(formatSkillPlace(text, chosen))).toEqual({ id: text })
      }),
    )
    fc.assert(
      fc.property(id, id, form, form, (a, b, formOfA, formOfB) => {
        const [placeA, placeB] = [formatSkillPlace(a, formOfA), formatSkillPlace(b, formOfB)]
        // Not even file systems that take SKILL.md for skill.md mix two skills up.
        expect(placeA.toLowerCase() === placeB.toLowerCase()).toBe(placeA === placeB)
        if (placeA === placeB) expect(a).toBe(b)
      }),
    )
  })

  it('is only ever a name that says what it is, but for capital letters, spaces and dots', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 12 }), { minLength: 1, maxLength: 4 }), (segments) => {
        const path = `${segments.join('/')}.md`
        const place = parseSkillPlace(path)
        if (place.problem !== undefined) {
          expect(place.problem).not.toBe('')
          return
        }
        expect(checkSkillId(place.id)).toBeUndefined()
        const simplify = (text: string) => text.toLowerCase().replace(/[ .-]+/g, '-')
        expect(simplify(formatSkillPlace(place.id, path.endsWith('/SKILL.md') ? 'folder' : 'file'))).toBe(
          simplify(path),
        )
      }),
    )
  })

  it.each(['.md', '.hidden.md', '.git/a.md', '../a.md', 'a/../b.md', './a.md', '- .md'])('is nothing at %s', (path) => {
    expect(parseSkillPlace(path).id).toBeUndefined()
  })

  it('advises only names that are right', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme', maxLength: 20 }), { minLength: 1, maxLength: 3 }),
        (segments) => {
          const { problem } = parseSkillPlace(`${segments.join('/')}.md`)
          const advice = /call it (.*)$/s.exec(problem ?? '')?.[1]?.replace(/, or give it a name of its own$/, '')
          if (advice !== undefined && problem?.includes('invalid'))
            expect(parseSkillPlace(advice).problem).toBeUndefined()
        },
      ),
    )
  })
})
