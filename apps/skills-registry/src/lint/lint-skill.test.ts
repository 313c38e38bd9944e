import { expect, it } from 'vitest'
import { toView } from '../agent-skills/view.ts'
import { toAgentFacts } from '../renditions/facts.ts'
import { lintSkill } from './lint-skill.ts'

const TEXT = '---\nname: orders\ndescription: Orders.\n---\n'

/** What is said of a skill with so many files of a size. */
function lint(count: number, bytes: number) {
  const files = Array.from({ length: count }, (_, at) => ({ path: `${at}.bin`, sha256: '', bytes, mimeType: '' }))
  const orders = { id: 'orders', bytes: TEXT.length, agent: toAgentFacts('orders', TEXT), files }
  return lintSkill('orders', TEXT, toView([orders], { frontmatter: 'render' }))
}

it('a skill that is larger than hosts take is warned of, with its own text counted', () => {
  expect(lint(511, 1)).toEqual([])
  expect(lint(15, 1_048_576)).toEqual([])
  const warning = (reason: string) => [{ id: 'orders', verdict: 'warning', reason: expect.stringContaining(reason) }]
  expect(lint(512, 1)).toEqual(warning('it has 513 files'))
  expect(lint(16, 1_048_576)).toEqual(
    warning(`of ${16 * 1_048_576 + TEXT.length} bytes with its own text and all that lies below it`),
  )
})
