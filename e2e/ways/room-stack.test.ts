import { afterEach, expect, it, vi } from 'vitest'
import { instrument } from './instrument.ts'
import { createRoomStack } from './room-stack.ts'

const [TOOLS, GATE, CONNECTION] = ['apps/a/src/tools/index.ts', 'apps/a/src/gate/index.ts', 'packages/sdk/src/wire.ts']

afterEach(() => vi.unstubAllGlobals())

it('a room that is called back, after a wait too, is told of with who called it', async () => {
  const { enter, takeReturns } = createRoomStack()
  const callBack = (from: string, ...way: string[]): Promise<void> =>
    enter(from, async () => {
      await Promise.resolve()
      const [next, ...others] = way
      if (next !== undefined) await callBack(next, ...others)
    })
  await callBack(TOOLS, GATE, 'apps/a/src/gate/denial.ts')
  await callBack(TOOLS, GATE)
  expect(takeReturns()).toEqual([])
  await callBack(CONNECTION, TOOLS, GATE, 'apps/a/src/tools/headers.ts')
  expect(takeReturns()).toEqual(['gate/index.ts → tools/headers.ts'])
  expect(takeReturns()).toEqual([])
  // A message of the engine is nobody's call.
  await callBack(TOOLS, GATE, CONNECTION, TOOLS)
  expect(takeReturns()).toEqual([])
})

it('functions of every form go through the stack, and are what they were', async () => {
  const entered: string[] = []
  const roomStack = { enter: <T>(file: string, work: () => T) => [work(), entered.push(file)][0] as T }
  vi.stubGlobal('roomStack', roomStack)
  const program = `
    class Shelf { clear() {} constructor() { this.rows = [1] } get size() { return this.rows.length } }
    function* count() { yield 1 }
    async function wait(ms = 0) { await undefined; return ms }
    const add = (one) => { return(other) => ({ sum: one + other })}
    const table = { read() { return this.rows?.size ?? arguments.length }, rows: new Shelf() }
    return [table.read(), add(1)(2), wait(3), [...count()]]
  `
  const [size, sum, later, counted] = new Function(instrument(TOOLS, program))() as unknown[]
  expect([size, sum, await later, counted]).toEqual([1, { sum: 3 }, 3, [1]])
  expect(entered).toEqual([TOOLS, TOOLS, TOOLS, TOOLS, TOOLS])
})
