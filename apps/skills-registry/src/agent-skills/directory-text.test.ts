import { expect, it } from 'vitest'
import { toDirectoryText } from './directory-text.ts'
import { toView } from './view.ts'

it('the text of a directory costs what it shows: no row is made of a skill that does not fit', () => {
  const agent = { sha256: '', declares: true, frontmatter: { name: 'x', description: 'd'.repeat(1000) } }
  const infos = Array.from({ length: 2_000 }, (_, nth) => ({ id: `s${nth}`, bytes: 1, agent }))
  const view = toView(infos, { frontmatter: 'render' })
  let made = 0
  const skills = view.skills.map((skill) => ({
    ...skill,
    get info() {
      made += 1
      return skill.info
    },
  }))
  const text = toDirectoryText({ ...view, skills }, '') ?? ''
  const shown = text.split('\n').filter((line) => line.startsWith('- ')).length
  expect([made, text]).toEqual([shown + 1, expect.stringContaining(`_${2_000 - shown} more do not fit here`)])
})
