import { startMockEngine } from '@iii/mock-engine'
import { expect, it } from 'vitest'
import { startBridge } from '../../testing/bridge.ts'
import { untilAnswer } from '../../testing/until.ts'

/** They are read in so many pieces that calls have their turns in between. */
const MANY = 2_000

it('lists, calls by name and through call_tool are answered while the first search waits for the index', async () => {
  await using engine = await startMockEngine({ functionsPollMs: 50 })
  await using bridge = await startBridge(engine)
  for (let at = 0; at < MANY; at += 1) bridge.other.registerFunction(`parcels::track_${at}`, () => at)
  await bridge.other.ready()
  await untilAnswer(
    async () => (await bridge.toolNames()).length,
    (count) => count === MANY,
  )
  bridge.set({ tools: 'search' })
  const answered: string[] = []
  const note = async <T>(what: string, answer: Promise<T>) => {
    const value = await answer
    answered.push(what)
    return value
  }
  const [found, ...others] = await Promise.all([
    note('search', bridge.call('search_tools', { query: 'track 1999', limit: 1, detail: 'names' })),
    note('list', bridge.toolNames()),
    note('call by name', bridge.call('parcels__track_7')),
    note('call through call_tool', bridge.call('call_tool', { name: 'parcels__track_8' })),
  ])
  expect(answered.at(-1)).toBe('search')
  expect(found.structuredContent).toMatchObject({ tools: [{ name: 'parcels__track_1999' }] })
  expect(others).toMatchObject([
    ['search_tools', 'call_tool'],
    { content: [{ text: '7' }] },
    { content: [{ text: '8' }] },
  ])
})
