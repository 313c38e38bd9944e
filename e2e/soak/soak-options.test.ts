import { expect, it } from 'vitest'
import { FAULTS } from './faults/index.ts'
import { readOptions, SOAK_USAGE } from './soak-options.ts'

it('reads how long a soak is, on what, how much is asked and what goes wrong', () => {
  const words = [
    '--minutes',
    '60',
    '--engine',
    '/usr/local/bin/iii',
    '--rate',
    '50',
    '--only',
    'kill -9',
    '--seed',
    '7',
  ]
  expect(readOptions(words)).toEqual({
    ...{ minutes: 60, engine: '/usr/local/bin/iii', http: undefined, version: '0.22', calm: false },
    ...{ rate: 50, every: 60, seed: 7, only: ['kill -9'] },
  })
  expect(readOptions([])).toMatchObject({ minutes: 10, rate: 200, every: 60, only: [], engine: undefined })
})

it.each([
  [['--minutes', '0'], "--minutes has to be more than 0, not '0'"],
  [['--rate', 'x'], "--rate has to be more than 0, not 'x'"],
  [['--seed', '-1'], '--seed'],
  [['--engine-version', '0.9'], '--engine-version takes 0.22 or 0.23, not 0.9'],
  [['--only', 'nobody'], "No fault has 'nobody' in its name"],
  [['--nothing'], 'Unknown option'],
])('%j is refused with what would be right', (words, text) => {
  expect(() => readOptions(words)).toThrow(text)
  expect(() => readOptions(words)).toThrow('pnpm soak\n  --minutes N')
})

it('help names every fault, each by a name of its own', () => {
  expect(new Set(FAULTS.map(({ name }) => name)).size).toBe(FAULTS.length)
  for (const { name } of FAULTS) expect(SOAK_USAGE).toContain(name)
})
