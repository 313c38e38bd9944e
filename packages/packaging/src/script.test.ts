import { expect, it } from 'vitest'
import { toScriptEntry } from './script.ts'

const source = `import { a } from 'a'
import {
  b,
} from './b.ts'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
await a(version, b)
`

it('puts the version and a function around what waits, and keeps the lines', () => {
  const entry = toScriptEntry(source, { version: '1.2.3' })
  expect(entry).toContain(String.raw`const { version } = JSON.parse("{\"version\":\"1.2.3\"}")`)
  expect(entry.indexOf('void (async')).toBeGreaterThan(entry.indexOf("'./b.ts'"))
  expect(entry.split('\n').indexOf('await a(version, b)')).toBe(source.split('\n').indexOf('await a(version, b)'))
})

it('says so when an entry is written in another way', () => {
  expect(() => toScriptEntry("import { a } from 'a'\na()\n", {})).toThrow('The entry of a worker')
})
