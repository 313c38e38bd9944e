import fc from 'fast-check'
import { expect, it } from 'vitest'
import { splitFrontMatter } from './front-matter.ts'
import { isNestedTooDeep } from './yaml-nesting.ts'

it.each(['- ', '? ', '- ? ', '? - ', '[', '{', '{? ', '- [', '? {a: '])('%j in each other is nested', (opening) => {
  expect(isNestedTooDeep(`a:\n  ${opening.repeat(8)}x`)).toBe(false)
  expect(isNestedTooDeep(`a:\n  ${opening.repeat(40)}x`)).toBe(true)
})

it('what lies beside each other, or stands in texts, is not nested', () => {
  const beside = ['  - - [a, {b: [c]}]', '  - x', '  -', '    - y', '    - - - z']
  const texts = [
    `b: "${'['.repeat(99)}"`,
    `c: what ${'- ? ['.repeat(99)}`,
    'd: |',
    `  ${'- '.repeat(99)}`,
    `# ${'{'.repeat(99)}`,
    `e: {${'? f, '.repeat(99)}}`,
  ]
  expect(isNestedTooDeep(['a:', ...Array.from({ length: 99 }, () => beside).flat(), ...texts].join('\n'))).toBe(false)
})

it('brackets that close nothing make no room for others', () => {
  expect(isNestedTooDeep(`a: [${']'.repeat(99)}${'['.repeat(40)}`)).toBe(true)
  expect(isNestedTooDeep(`# ${']'.repeat(99)}\na: ${'['.repeat(40)}`)).toBe(true)
})

it('lists in lists over lines are as deep as they are indented', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 60 }), fc.boolean(), (depth, isInner) => {
      const lines = Array.from({ length: depth }, (_, at) => `${'  '.repeat(at)}-`)
      const yaml = `${isInner ? 'x: 1\na:\n' : ''}${lines.join('\n')} x\n${isInner ? 'b: [c]' : ''}`
      expect(isNestedTooDeep(yaml)).toBe(depth > 32)
    }),
  )
})

it('a text is split although keys of its front matter are nested without end', () => {
  const text = '\n# Orders'
  expect(splitFrontMatter(`---\nname: orders\n${'? '.repeat(8000)}\n---${text}`)).toMatchObject({ fields: {}, text })
})
