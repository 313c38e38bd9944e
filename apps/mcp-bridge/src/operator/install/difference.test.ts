import { expect, it } from 'vitest'
import { formatDifference } from './difference.ts'

it.each([
  [{ env: { DSN: 'hunter2' } }, '- "env": {"DSN":"<secret>"}'],
  [{ command: { path: 'x', env: { DSN: 'hunter2' } } }, '- "command": {"path":"x","env":{"DSN":"<secret>"}}'],
  [{ requestInit: { headers: { 'x-own': 'hunter2' } } }, '- "requestInit": {"headers":{"x-own":"<secret>"}}'],
  [{ env: { DSN: { value: 'hunter2' } } }, '- "env": {"DSN":"<secret>"}'],
  [{ env: ['DSN=hunter2'] }, '- "env": ["<secret>"]'],
  [{ servers: [{ env: { DSN: 'hunter2' } }] }, '- "servers": [{"env":{"DSN":"<secret>"}}]'],
])('shows no value of what is for the server alone: %j', (theirs, line) => {
  expect(formatDifference(theirs, undefined)).toEqual([line])
})
