import { describe, expect, it, vi } from 'vitest'
import { type SessionStage, startSessionStage } from '../testing/session-stage.ts'
import { createTable, type TableOptions } from './table.ts'

type Options = Partial<TableOptions<number>>

function create(stage: SessionStage, options: Options = {}) {
  const parse = (member: unknown) => (typeof member === 'number' ? member : undefined)
  const { store } = stage
  return createTable<number>({ store, name: 't', perPart: 3, maxParts: 40, parse, isOver: () => false, ...options })
}

/** What is stored, by the keys of the parts. */
async function stored(stage: SessionStage): Promise<Record<string, string[]>> {
  const parts = await stage.rows('index')
  return Object.fromEntries(
    parts
      .map(({ key, ...members }) => [String(key), Object.keys(members)] as const)
      .filter(([, names]) => names.length > 0),
  )
}

const names = (count: number) => Array.from({ length: count }, (_, n) => `n${n}`)

describe('a table', () => {
  it('is in parts that nobody has to list, each of which takes so much and no more', async () => {
    await using stage = await startSessionStage()
    const table = create(stage)
    await Promise.all(names(100).map((name, n) => table.set(name, n)))
    expect(Object.values(await stored(stage)).map(({ length }) => length)).toEqual([...Array(33).fill(3), 1])
    const other = create(stage)
    await other.load()
    expect([...other.entries()].sort()).toEqual([...table.entries()].sort())
    expect(other.get('n42')).toBe(42)
  })

  it('writes a part once for all that comes while it is written', async () => {
    await using stage = await startSessionStage()
    const changePart = vi.fn(stage.store.changePart)
    const table = create(stage, { store: { ...stage.store, changePart }, perPart: 500 })
    await Promise.all(names(300).map((name, n) => table.set(name, n)))
    expect(changePart).toHaveBeenCalledOnce()
  })

  it('loses nothing where two processes write to the same part', async () => {
    await using stage = await startSessionStage()
    const [one, other] = [create(stage, { perPart: 100 }), create(stage, { perPart: 100 })]
    await Promise.all(names(80).map((name, n) => (n % 2 ? one : other).set(name, n)))
    const third = create(stage, { perPart: 100 })
    await third.load()
    expect([third.size, Object.keys(await stored(stage))]).toEqual([80, ['t-0']])
  })

  it('has room again where something has left', async () => {
    await using stage = await startSessionStage()
    const table = create(stage)
    await Promise.all(names(9).map((name, n) => table.set(name, n)))
    await table.delete('n1')
    await table.set('new', 1)
    expect((await stored(stage))['t-0']).toEqual(['n0', 'n2', 'new'])
  })

  it('takes no more than it has room for', async () => {
    await using stage = await startSessionStage()
    const table = create(stage, { maxParts: 2 })
    await Promise.all(names(6).map((name, n) => table.set(name, n)))
    expect(table.isFull).toBe(true)
    await expect(table.set('more', 1)).rejects.toThrow('full')
    await table.set('n3', 7)
    expect([table.size, table.get('n3')]).toEqual([6, 7])
  })

  it('stores again what the store has lost', async () => {
    await using stage = await startSessionStage()
    const table = create(stage)
    await Promise.all(names(60).map((name, n) => table.set(name, n)))
    for (let part = 0; part < 20; part++) {
      await stage.engine.call('state::delete', { scope: 'mcp-session-index', key: `t-${part}` })
    }
    await table.load()
    const other = create(stage)
    await other.load()
    expect(other.size).toBe(60)
  })

  it('has what two processes have put into different parts once', async () => {
    await using stage = await startSessionStage()
    for (const part of [0, 5]) await stage.store.changePart(`t-${part}`, new Map([['twice', 1]]))
    const learned = vi.fn()
    const tables = [create(stage, { onLearned: learned }), create(stage)]
    for (const table of tables) await table.load()
    expect([tables[0]?.size, learned.mock.calls]).toEqual([1, [['twice', 1]]])
    for (const table of tables) await table.set('more', 1)
    expect(await stored(stage)).toEqual({ 't-0': ['more', 'twice'] })
  })

  it('forgets what is over, also where nobody knew of it', async () => {
    await using stage = await startSessionStage()
    let now = 5
    const isOver = (value: number) => value <= now
    const table = create(stage, { isOver })
    await Promise.all(names(12).map((name, n) => table.set(name, n + 6)))
    now = 11
    table.sweep()
    expect(table.size).toBe(6)
    now = 16
    const started = create(stage, { isOver })
    await started.load()
    expect(started.size).toBe(1)
    await vi.waitFor(async () => expect(Object.values(await stored(stage)).flat()).toEqual(['n11']))
  })

  it('takes nothing that is not its own from parts of others', async () => {
    await using stage = await startSessionStage()
    const table = create(stage)
    table.observe('u-0', { a: 1 })
    table.observe('t-x', { a: 1 })
    table.observe('t-40', { a: 1 })
    table.observe('t-0', { a: 'no number', key: 't-0' })
    expect(table.size).toBe(0)
    table.observe('t-1', { a: 1 })
    expect(table.get('a')).toBe(1)
  })

  it('takes so much of a part that somebody else has filled, and puts nothing into it until it is cleared', async () => {
    await using stage = await startSessionStage()
    const foreign = vi.fn()
    const table = create(stage, { onForeign: foreign })
    table.observe('t-0', Object.fromEntries(names(5_000).map((name, n) => [name, n])))
    expect([table.size, foreign.mock.calls]).toEqual([12, [['t-0']]])
    await table.set('own', 1)
    expect(await stored(stage)).toEqual({ 't-1': ['own'] })
    await Promise.all(names(12).map((name) => table.delete(name)))
    await table.set('next', 1)
    expect(await stored(stage)).toEqual({ 't-1': ['next', 'own'] })
    table.observe('t-0', {})
    await table.set('last', 1)
    expect(await stored(stage)).toEqual({ 't-0': ['last'], 't-1': ['next', 'own'] })
  })
})
