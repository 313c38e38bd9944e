import { expect, it } from 'vitest'
import { readShown } from './sidecar.ts'

it.each([
  ['another worker, which reads all', undefined, undefined],
  ['a bridge that says nothing of it', { mcp: { tool: 'a' } }, undefined],
  ['a bridge that names some', { mcp: { skills: ['orders'] } }, ['orders']],
  ['a bridge that names none', { mcp: { skills: [] } }, []],
  ['what cannot be read', { mcp: { skills: 'orders' } }, []],
  ['what can be read in part', { mcp: { skills: ['orders', 1] } }, []],
  ['what stands beside something that cannot be read', { mcp: { skills: ['orders'], tool: 1 } }, ['orders']],
])('the skills that are shown to %s', (_, metadata, shown) => {
  expect(readShown(metadata)).toEqual(shown)
})
