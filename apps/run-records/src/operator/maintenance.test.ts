import { expect, it } from 'vitest'
import { collect } from './maintenance.ts'
import type { RunsSession } from './session.ts'

async function collectWith(...rounds: { runs: number; calls: number; ended: number }[]): Promise<string> {
  let text = ''
  const left = [...rounds]
  const runner = { collect: async () => left.shift() ?? { runs: 0, calls: 0, ended: 0 } }
  const screen = { print: (more: string) => (text += more), columns: 80 }
  await collect({ connect: async () => ({ runner }), flags: { json: false }, screen } as unknown as RunsSession)
  return text
}

it('gc goes on until nothing is left that is too much', async () => {
  const rounds = [
    { runs: 200, calls: 0, ended: 0 },
    { runs: 41, calls: 100, ended: 0 },
  ]
  expect(await collectWith(...rounds)).toBe('removed 241 runs and 100 calls\n')
})

it('gc says how many runs of dead processes it has ended', async () => {
  expect(await collectWith({ runs: 0, calls: 0, ended: 2 })).toBe(
    '2 runs of processes that are gone: ended as unknown\nremoved 0 runs and 0 calls\n',
  )
})
