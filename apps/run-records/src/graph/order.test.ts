import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findCycles } from './cycles.ts'
import { sortTasks } from './order.ts'

const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
const graphs = fc
  .array(fc.tuple(fc.constantFrom(...ids), fc.constantFrom(...ids)), { maxLength: 14 })
  .map((edges) => new Map(ids.map((id) => [id, edges.filter(([from]) => from === id).map(([, to]) => to)])))

/** Everything that an id waits for, directly or not. */
function below(
  id: string,
  dependencies: ReadonlyMap<string, readonly string[]>,
  found = new Set<string>(),
): Set<string> {
  for (const need of dependencies.get(id) ?? []) {
    if (!found.has(need)) below(need, dependencies, found.add(need))
  }
  return found
}

describe('the order of tasks', () => {
  it('puts each after those that it waits for, and the least id first where it is free to', () => {
    const dependencies = new Map([
      ['summary', ['summarise', 'chart']],
      ['summarise', ['collect']],
      ['chart', ['collect']],
    ])
    const expected = ['collect', 'chart', 'summarise', 'summary']
    expect(sortTasks(['summary', 'summarise', 'chart', 'collect'], dependencies)).toEqual({
      order: expected,
      cycles: [],
    })
    expect(sortTasks(expected.toReversed(), dependencies).order).toEqual(expected)
  })

  it('names circles, each once and sorted, and leaves out who waits for one', () => {
    const dependencies = new Map([
      ['c', ['a']],
      ['a', ['b']],
      ['b', ['c']],
      ['d', ['c']],
      ['e', ['e']],
      ['f', ['nobody']],
    ])
    expect(sortTasks(['a', 'b', 'c', 'd', 'e', 'f'], dependencies)).toEqual({
      order: ['f'],
      cycles: [['a', 'b', 'c'], ['e']],
    })
  })

  it('is whole and right for any graph', () => {
    fc.assert(
      fc.property(graphs, (dependencies) => {
        const { order, cycles } = sortTasks(ids, dependencies)
        const circular = ids.filter((id) => below(id, dependencies).has(id))
        expect(cycles.flat().sort()).toEqual(circular)
        for (const id of cycles.flat()) {
          const cycle = cycles.find((one) => one.includes(id)) ?? []
          expect([...below(id, dependencies)]).toEqual(expect.arrayContaining([...cycle]))
        }
        const stuck = ids.filter((id) => [id, ...below(id, dependencies)].some((one) => circular.includes(one)))
        expect([...order, ...stuck].sort()).toEqual(ids)
        const tooEarly = order.filter((id, at) =>
          dependencies.get(id)?.some((need) => !order.slice(0, at).includes(need)),
        )
        expect(tooEarly).toEqual([])
      }),
    )
  })

  it('copes with a chain of thousands', () => {
    const chain = Array.from({ length: 5000 }, (_, at) => `t${String(at).padStart(4, '0')}`)
    const dependencies = new Map(chain.map((id, at) => [id, at === 0 ? [] : [chain[at - 1] ?? '']]))
    expect(sortTasks(chain.toReversed(), dependencies).order).toEqual(chain)
    dependencies.set('t0000', ['t4999'])
    expect(sortTasks(chain, dependencies).cycles).toEqual([chain])
  })

  it('looks once at each thing that waits, however many wait for the same one in a circle', () => {
    let looks = 0
    const others = Array.from({ length: 1_000 }, (_, index) => `other${index}`)
    const waiting = {
      *[Symbol.iterator]() {
        for (const id of others) {
          looks += 1
          yield id
        }
      },
    }
    const edges = new Map([['hub', ['other0']], ...others.map((id): [string, string[]] => [id, ['hub']])])
    expect(findCycles(edges, new Map([['hub', waiting]]))).toEqual([['hub', 'other0']])
    expect(looks).toBe(others.length)
  })
})
