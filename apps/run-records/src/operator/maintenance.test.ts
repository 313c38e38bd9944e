import { expect, it } from 'vitest'
import { collect } from './maintenance.ts'
import type { RunsSession } from './session.ts'

interface Stage {
  rounds?: { runs: number; calls: number; ended: number }[]
  held?: { generation: number; isGone: boolean }
}

async function collectWith({ rounds = [], held }: Stage): Promise<string> {
  let text = ''
  const left = [...rounds]
  const runner = { collect: async () => left.shift() ?? { runs: 0, calls: 0, ended: 0 } }
  const locks = {
    look: async () => held,
    endDead: async (_name: string, generation: number) => generation === held?.generation,
  }
  const options = () => ({ jobs: {} })
  const screen = { print: (more: string) => (text += more), columns: 80 }
  await collect({
    connect: async () => ({ runner, locks, options }),
    flags: { json: false },
    screen,
  } as unknown as RunsSession)
  return text
}

it('gc goes on until nothing is left that is too much', async () => {
  const rounds = [
    { runs: 200, calls: 0, ended: 0 },
    { runs: 41, calls: 100, ended: 0 },
  ]
  expect(await collectWith({ rounds })).toBe('removed 241 runs and 100 calls\n')
})

it('gc says how many runs of dead processes it has ended', async () => {
  expect(await collectWith({ rounds: [{ runs: 0, calls: 0, ended: 2 }] })).toBe(
    '2 runs that nobody runs any more: ended as unknown\nremoved 0 runs and 0 calls\n',
  )
})

it('gc frees the lock of a process that was killed before it wrote a record, and of no other', async () => {
  expect(await collectWith({ held: { generation: 3, isGone: true } })).toBe(
    'the lock default is free: the process that had it is gone, and left no record\nremoved 0 runs and 0 calls\n',
  )
  expect(await collectWith({ held: { generation: 3, isGone: false } })).toBe('removed 0 runs and 0 calls\n')
})
