import { readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { readImports } from './imports.ts'

const src = 'packages/sdk/src/'
/** Each knows those before it. */
const order = [
  ['terminal', 'suggestions', 'process-group', 'pause.ts', 'host.ts'],
  ['log.ts', 'schema', 'engine'],
  ['wire', 'http'],
  ['ownership'],
  ['worker'],
  ['state', 'options', 'ask', 'change-feed', 'call-feed', 'publish.ts'],
  ['settings', 'mcp'],
  ['commands', 'run'],
  ['doctor'],
  ['index.ts', 'cli.ts'],
]
const root = new URL('../', import.meta.url)
const sources = readdirSync(new URL(src, root), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !/\.test\.ts$|^testing\//.test(path))
  .map((path) => `${src}${path}`)
const toRoom = (path: string) => path.slice(src.length).split('/')[0] ?? ''
const toStep = (path: string) => order.findIndex((rooms) => rooms.includes(toRoom(path)))

it('the SDK has these rooms and no others', () => {
  expect(sources.filter((path) => toStep(path) < 0)).toEqual([])
})

it('the SDK has no room that imports one beside or above it, not even a type', () => {
  const across = readImports(sources, root).filter(({ from, to }) => toRoom(from) !== toRoom(to))
  expect(across.filter(({ from, to }) => toStep(to) >= toStep(from))).toEqual([])
})
