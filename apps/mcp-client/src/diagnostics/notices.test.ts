import { expect, it } from 'vitest'
import { createNotices } from './notices.ts'

function start() {
  const lines: unknown[] = []
  const notices = createNotices(
    { warn: (facts: unknown) => void lines.push(facts) } as never,
    'the server is not started',
  )
  return { lines, tell: notices.tell }
}

const untrusted = { code: 'not_trusted', message: 'nobody trusts it' } as const

it('tells what is wrong once, and again when it comes back', () => {
  const { lines, tell } = start()
  for (const now of [[untrusted], [untrusted], [], [untrusted]]) tell(now)
  expect(lines).toEqual([1, 2].map(() => ({ code: 'not_trusted', reason: 'nobody trusts it' })))
})

it('tells of very much that is wrong how much it is', () => {
  const { lines, tell } = start()
  tell(Array.from({ length: 1_000 }, (_, at) => ({ code: 'tool_left_out' as const, message: `tool ${at}` })))
  expect(lines).toHaveLength(11)
  expect(lines.at(-1)).toEqual({ more: 990 })
})
