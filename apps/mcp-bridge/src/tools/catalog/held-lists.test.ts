import { expect, it } from 'vitest'
import { readyMembers, toReady } from '../../mcp/rpc.ts'
import { createHeldLists } from './held-lists.ts'

it('a list that nobody asks for any more leaves its room to others', () => {
  const lists = createHeldLists(10)
  const [a, b, c] = [{}, {}, {}]
  const make = () => {
    const ready = toReady('12345')
    return { inlined: ready, shared: ready }
  }
  lists.get(a, make)
  const kept = lists.get(b, make)
  lists.drop(a)
  lists.drop(a)
  lists.get(c, make)
  expect([a, b, c].map(lists.has)).toEqual([false, true, true])
  expect([lists.get(b, make) === kept, readyMembers(kept.inlined)]).toEqual([true, '12345'])
})
