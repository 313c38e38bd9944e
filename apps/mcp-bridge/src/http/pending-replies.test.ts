import { expect, it } from 'vitest'
import { createPendingReplies } from './pending-replies.ts'

it('are waited for when this server stops, and given up when that takes too long', async () => {
  const replies = createPendingReplies()
  const told: string[] = []
  const isThere = replies.expect(() => told.push('in time'))
  const stopped = replies.stop(60_000).then(() => told.push('stopped'))
  isThere()
  await stopped
  expect(told).toEqual(['stopped'])
  replies.expect(() => told.push('too late'))
  expect(told).toEqual(['stopped', 'too late'])
})

it('that are still missing after the grace are given up', async () => {
  const replies = createPendingReplies()
  const told: string[] = []
  replies.expect(() => told.push('first'))
  replies.expect(() => told.push('second'))()
  await replies.stop(1)
  expect(told).toEqual(['first'])
})
