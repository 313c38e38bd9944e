import { expect, it } from 'vitest'
import { toDeclaredTable } from './table.ts'

it('lists what there is room for, without the largest, which are found all the same', () => {
  const description = 'd'.repeat(4_000)
  const declared = Array.from({ length: 1_100 }, (_, at) => {
    const name = at < 1_090 ? 'large' : 'small'
    const facts = { name, ...(name === 'large' ? { description } : {}) }
    const id = String(at).padStart(4, '0')
    const address = {
      resource: { uri: `shop://${id}`, ...facts },
      template: { uriTemplate: `tea://${id}/{x}`, ...facts },
    }
    return { functionId: `shop::f${id}`, description: undefined, ...address }
  })
  const { resources, templates, problems, find } = toDeclaredTable(declared)
  for (const rows of [resources, templates]) {
    expect(rows.filter(({ name }) => name === 'small')).toHaveLength(10)
    expect(Buffer.byteLength(JSON.stringify(rows))).toBeLessThan(4 * 1024 * 1024)
  }
  // One for each list: the log has no thousands of lines.
  const leftOut = [resources, templates].map(({ length }) => 1_100 - length)
  expect(problems.map(({ problem }) => problem.split(': shop::f')[0])).toEqual(
    leftOut.map((count) => `the list has no room for the largest, ${count}`),
  )
  expect(problems[0]?.problem).toMatch(/: (shop::f\d+, ){5}…$/)
  expect(find('shop://1089')?.functionId).toBe('shop::f1089')
})
