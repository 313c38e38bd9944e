import type { TriggerRequest } from '@iii/sdk'
import { describe, expect, it } from 'vitest'
import { createDirectory } from './directory.ts'
import { createSight } from './sight.ts'

/** An engine that answers with these rows, and what it was asked. */
function engineOf(functions: readonly object[]) {
  const asked: unknown[] = []
  const trigger = async <T>({ payload }: TriggerRequest) => {
    asked.push(payload)
    return { functions } as T
  }
  return { engine: { trigger }, asked }
}

const ROWS = [
  { function_id: 'a::b', namespace: 'default', description: 'ours' },
  { function_id: 'a::b', namespace: 'orders', description: 'theirs' },
  { function_id: 'c::d', namespace: 'orders', description: 'theirs alone' },
]

describe('the functions of the engine', () => {
  it('are those of the own namespace, with their own details', async () => {
    const { engine, asked } = engineOf(ROWS)
    const directory = createDirectory(engine, 1_000, createSight())
    expect((await directory.list()).map(({ id, description }) => [id, description])).toEqual([['a::b', 'ours']])
    const details = await directory.describe(['a::b', 'c::d'])
    expect([...details.values()].map(({ description }) => description)).toEqual(['ours'])
    expect(asked[1]).toEqual({ function_ids: ['a::b', 'c::d'], namespace: 'default' })
  })

  it('are those of the namespace that the bridge is in', async () => {
    const directory = createDirectory(engineOf(ROWS).engine, 1_000, createSight('orders'))
    expect((await directory.list()).map(({ id }) => id)).toEqual(['a::b', 'c::d'])
    expect((await directory.describe(['a::b'])).get('a::b')?.description).toBe('theirs')
  })

  it('are all where the engine has no namespaces', async () => {
    const rows = ROWS.slice(1).map(({ namespace: _, ...row }) => row)
    for (const own of ['default', 'orders']) {
      const directory = createDirectory(engineOf(rows).engine, 1_000, createSight(own))
      expect(await directory.list()).toHaveLength(2)
      expect((await directory.describe(['a::b', 'c::d'])).size).toBe(2)
    }
  })
})
