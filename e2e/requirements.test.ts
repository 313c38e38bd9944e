import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { requirements } from './requirements.ts'

const folder = new URL('./scenarios/', import.meta.url)
const files = readdirSync(folder).filter((name) => name.endsWith('.test.ts'))

/** The ids that the scenarios of a file name, in the order of the text. */
function readProofs(file: string): { scenarios: number; ids: string[] } {
  const text = readFileSync(new URL(file, folder), 'utf8')
  const calls = [...text.matchAll(/\bscenario\(\s*\[([^\]]*)\]/g)]
  const ids = calls.flatMap(([, list = '']) => [...list.matchAll(/'([^']+)'/g)].map(([, id = '']) => id))
  return { scenarios: [...text.matchAll(/\bscenario\(/g)].length - calls.length, ids }
}

const proven = new Set(files.flatMap((file) => readProofs(file).ids))

describe('the requirements', () => {
  it.each(Object.keys(requirements))('%s has a scenario', (id) => {
    expect(proven).toContain(id)
  })

  it.each(files)('are named as literals, and only known ones, by %s', (file) => {
    const { scenarios, ids } = readProofs(file)
    expect(scenarios, 'scenario( without a literal list of ids').toBe(0)
    expect(ids.length).toBeGreaterThan(0)
    expect(ids.filter((id) => !(id in requirements))).toEqual([])
  })

  it.each(files)('are what all tests of %s are about', (file) => {
    expect(readFileSync(new URL(file, folder), 'utf8')).not.toMatch(/^\s*(?:it|test)(?:\.each)?\(/m)
  })
})
