import { expect, it } from 'vitest'
import { createEntryNotices } from './entry-notices.ts'
import { readServers } from './read-servers.ts'

it('tells what is wrong with each entry once, as long as it stays so', () => {
  const lines: unknown[] = []
  const notices = createEntryNotices({
    child: (own: object) => ({ warn: (facts: object) => void lines.push({ ...own, ...facts }) }),
  } as never)
  const tell = (servers: object) => notices.tell(readServers(servers, { folder: '/srv' }))
  const good = { command: 'x', trust: 'unsandboxed' }
  tell({ a: { ...good, colour: 'red' }, b: { ...good, args: 'no list' }, c: good })
  tell({ a: { ...good, colour: 'red' }, c: good })
  expect(lines).toEqual([
    { server: 'a', code: 'unknown_key', reason: expect.stringMatching(/^servers.a.colour: /) },
    { server: 'b', code: 'malformed', reason: 'servers.b.args: must be a list, not a string' },
  ])
  tell({ b: { ...good, args: 'no list' } })
  expect(lines).toHaveLength(3)
})
