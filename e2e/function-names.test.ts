import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { isShipped, listSources, packages, root } from './source-files.ts'

interface DeclaredFunction {
  readonly name: string
  readonly path: string
  readonly comment: string
  readonly text: string
  readonly isAsync: boolean
  /** Anything but what was caught. */
  readonly throws: boolean
}

/** The functions that a source gives to others. */
function listFunctions(path: string): DeclaredFunction[] {
  const source = readFileSync(new URL(path, root), 'utf8')
  const declared = /(\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)?^export (async )?function\*? (\w+)[\s\S]*?^\}$/gm
  return [...source.matchAll(declared)].map(([all, comment = '', asynchronous, name = '']) => {
    const text = all.slice(comment.length)
    const throws = /\bthrow (?!error\b)/.test(text.replace(/\/\/.*$/gm, ''))
    return { name, path, comment, text, isAsync: asynchronous !== undefined, throws }
  })
}

describe('the names of functions', () => {
  const sources = packages.flatMap(listSources).filter(isShipped)
  const functions = sources.flatMap(listFunctions)
  const named = (verb: string) => functions.filter(({ name }) => new RegExp(`^${verb}[A-Z]`).test(name))
  const show = (found: readonly DeclaredFunction[]) => found.map(({ name, path }) => `${name} in ${path}`)

  it('say what a reader may count on: nothing that parses throws', () => {
    expect(named('parse').length).toBeGreaterThan(20)
    expect(show(named('parse').filter(({ throws, comment }) => throws || comment.includes('@throws')))).toEqual([])
  })

  it('say what a reader may count on: what converts says when it throws', () => {
    expect(named('to').length).toBeGreaterThan(200)
    expect(show(named('to').filter(({ throws, comment }) => throws && !comment.includes('@throws')))).toEqual([])
  })

  it('say what a reader may count on: what is created is there at once, and a question is answered by yes or no', () => {
    expect(show(named('create').filter(({ isAsync }) => isAsync))).toEqual([])
    const answers = /\): (?:asserts )?(?:\w+ is .+|boolean|Promise<boolean>) \{$/m
    expect(show(named('is').filter(({ text }) => !answers.test(text)))).toEqual([])
  })
})

describe('the names that a package exports', () => {
  const declared = /^export (?:async )?(?:function\*?|interface|type|const|class) (\w+)/gm

  it.each(packages)('of %s mean one thing each', (folder) => {
    const places = new Map<string, Set<string>>()
    // A command has the name of the function that it asks.
    for (const path of listSources(`${folder}/src`).filter((file) => isShipped(file) && !file.includes('/operator/'))) {
      for (const [, name = ''] of readFileSync(new URL(path, root), 'utf8').matchAll(declared)) {
        places.set(name, (places.get(name) ?? new Set()).add(path))
      }
    }
    const twice = [...places].filter(([, paths]) => paths.size > 1)
    expect(twice.map(([name, paths]) => `${name}: ${[...paths].join(', ')}`)).toEqual([])
  })
})
