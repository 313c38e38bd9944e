import { expect, it } from 'vitest'
import { linkToRepository } from './readme.ts'
import { readWorkers } from './workers.ts'

it('leads from anywhere to the files of the repository', () => {
  const link = (text: string) => linkToRepository(text, 'https://example.com/o/r', 'apps/a')
  expect(link('[a](../../docs/a.md#b), [c](../c) and [d](d.md)')).toBe(
    '[a](https://example.com/o/r/blob/HEAD/docs/a.md#b), [c](https://example.com/o/r/blob/HEAD/apps/c) and [d](https://example.com/o/r/blob/HEAD/apps/a/d.md)',
  )
  const whole = '[a](#b), [c](https://example.com/c), [d](mailto:d@example.com), `f](g h)`'
  expect(link(whole)).toBe(whole)
})

it.each(readWorkers())('the registry page of $name has no link that leads nowhere', ({ readme, repository }) => {
  const links = [...readme.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link)
  expect(links.filter((link) => !/^(?:#|[a-z]+:)/.test(link ?? ''))).toEqual([])
  expect(readme).toContain(`${repository}/blob/HEAD/docs/install.md`)
})
