import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { NEEDS_OWN_ENGINE } from './own-engine.ts'
import { requirements } from './requirements.ts'

/** The files with scenarios, by their paths in this folder. */
const files = ['scenarios', 'python', 'reference-servers', 'browser']
  .flatMap((folder) => readdirSync(new URL(folder, import.meta.url)).map((name) => `${folder}/${name}`))
  .filter((file) => file.endsWith('.ts'))

function read(file: string): string {
  return readFileSync(new URL(file, import.meta.url), 'utf8')
}

/** The ids that the scenarios of a file name, in the order of the text. */
function readProofs(file: string): { scenarios: number; ids: string[] } {
  const text = read(file)
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
    expect(read(file)).not.toMatch(/^\s*(?:it|test)(?:\.each)?\(/m)
  })
})

describe('what needs an engine of its own', () => {
  it.each(Object.keys(NEEDS_OWN_ENGINE))('is a file of scenarios, or a scenario: %s', (name) => {
    const sentences = files.flatMap((file) => [...read(file).matchAll(/\bscenario\(\s*\[[^\]]*\],\s*'([^']*)'/g)])
    const names = [...files.map((file) => file.split('/').at(-1)), ...sentences.map(([, sentence]) => sentence)]
    expect(names).toContain(name)
  })

  it('is told with a reason', () => {
    expect(Object.values(NEEDS_OWN_ENGINE).filter((why) => why.length < 10)).toEqual([])
  })
})
