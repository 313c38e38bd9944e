import { expect, it } from 'vitest'
import { readBenchOptions } from './bench-options.ts'

it('reads what to measure, where and how much of it', () => {
  const words = [
    'bridge',
    'replies',
    '--engine',
    'ws://127.0.0.1:1',
    '--hold',
    '0,0.2',
    '--count',
    '1000000',
    '--no-burn',
  ]
  expect(readBenchOptions(words)).toMatchObject({
    names: ['bridge', 'replies'],
    engine: 'ws://127.0.0.1:1',
    replies: { count: 1_000_000, holdMs: [0, 0.2], burn: false, ours: true, official: false },
  })
  const others = ['replies', '--hold', 'none', '--official', '--no-ours']
  expect(readBenchOptions(others)).toMatchObject({ replies: { holdMs: [], official: true, ours: false } })
})

it.each([
  [['--hold', 'x'], "--hold is no number: 'x'"],
  [['--count', ''], "--count is no number: ''"],
  [['--http', 'http://127.0.0.1:1'], '--http goes with --engine.'],
  [['--nothing'], 'Unknown option'],
])('%j is refused with a text', (words, text) => expect(readBenchOptions(words)).toContain(text))
