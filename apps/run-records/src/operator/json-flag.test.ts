import { expect, it } from 'vitest'
import { toJsonFlag } from './json-flag.ts'

it.each([
  [
    ['list', '--format', 'json'],
    ['list', '--json'],
  ],
  [
    ['--format=json', 'list'],
    ['--json', 'list'],
  ],
  [
    ['list', 'json'],
    ['list', 'json'],
  ],
  [
    ['graph', '--format', 'dot'],
    ['graph', '--format', 'dot'],
  ],
  [
    ['graph', '--format'],
    ['graph', '--format'],
  ],
])('%j is %j', (typed, meant) => {
  expect(toJsonFlag(typed)).toEqual(meant)
})
