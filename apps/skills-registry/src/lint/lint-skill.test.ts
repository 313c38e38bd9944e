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

it('skills with one name are warned of, each with another that has it', () => {
  const infos = [
    'billing/my-refunds',
    'orders',
    'orders/my_refunds',
    'orders/terms',
    'shop/orders',
    'x/my-refunds',
  ].map((id) => {
    const text = `---\nname: ${id.split('/').at(-1)?.replace('_', '-')}\ndescription: Text.\n---\n`
    return { id, text, bytes: text.length, agent: toAgentFacts(id, text) }
  })
  const view = toView(infos, { frontmatter: 'render' })
  const tail = 'too, and hosts may tell skills apart by their names: give one another last segment'
  expect(infos.flatMap(({ id, text }) => lintSkill(id, text, view))).toEqual(
    [
      ['billing/my-refunds', `orders/my_refunds and 1 more have the name my-refunds ${tail}`],
      ['orders', `shop/orders has the name orders ${tail}`],
      ['orders/my_refunds', `billing/my-refunds and 1 more have the name my-refunds ${tail}`],
      ['shop/orders', `orders has the name orders ${tail}`],
      ['x/my-refunds', `billing/my-refunds and 1 more have the name my-refunds ${tail}`],
    ].map(([id, reason]) => ({ id, verdict: 'warning', reason })),
  )
  const alone = toView(infos.slice(1, 4), { frontmatter: 'render' })
  expect(infos.slice(1, 4).flatMap(({ id, text }) => lintSkill(id, text, alone))).toEqual([])
})

it('a file in whose place a skill above or below has another one is named', () => {
  const fileAt = (path: string) => ({ path, sha256: path, bytes: 1, mimeType: '' })
  const plain = '# Limits\n'
  const infos = [
    { id: 'orders', text: TEXT, files: ['inner/a.txt', 'limits/rates.csv', 'own.txt'].map(fileAt) },
    { id: 'orders/inner', text: '---\nname: inner\ndescription: Inner.\n---\n', files: ['a.txt'].map(fileAt) },
    { id: 'orders/limits', text: plain, files: ['rates.csv', 'other.csv'].map(fileAt) },
    { id: 'orders/prices', text: plain, files: ['rates.csv'].map(fileAt) },
  ].map((info) => ({ ...info, bytes: info.text.length, agent: toAgentFacts(info.id, info.text) }))
  const view = toView(infos, { frontmatter: 'render' })
  expect(infos.flatMap(({ id, text }) => lintSkill(id, text, view))).toEqual(
    [
      ['orders', 'its file inner/a.txt'],
      ['orders/limits', 'its file rates.csv'],
    ].map(([id, file]) => ({
      id,
      verdict: 'left_out',
      reason: `${file} is not served: a skill above or below it has another file, or a folder, in its place: rename one of them`,
    })),
  )
})

it('nobody is told to register a skill under the id of another one, which it would replace', () => {
  const infos = ['a--b', 'a-b', 'c--d'].map((id) => ({ id, bytes: 3, agent: toAgentFacts(id, '# A') }))
  const view = toView(infos, { frontmatter: 'render' })
  const reasonOf = (id: string) => lintSkill(id, '# A', view).map(({ reason }) => reason.split('; ').at(-1))
  expect(reasonOf('a--b')).toEqual(['a-b is another skill: register it under a third id'])
  expect(reasonOf('c--d')).toEqual(['register it as c-d'])
})
