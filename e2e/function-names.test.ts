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

  it('stand in the examples of what they do', () => {
    const examples = functions.flatMap(({ name, path, comment }) =>
      comment
        .split('@example')
        .slice(1)
        .map((example) => ({ name, path, example })),
    )
    expect(examples.length).toBeGreaterThan(100)
    const strangers = examples.filter(({ name, example }) => !new RegExp(`\\b${name}\\b`).test(example))
    expect(strangers.map(({ name, path }) => `${name} in ${path}`)).toEqual([])
  })
})

const declared = /^export (?:async )?(?:function\*?|interface|type|const|class) (\w+)/gm

function listDeclared(path: string): string[] {
  return [...readFileSync(new URL(path, root), 'utf8').matchAll(declared)].map(([, name = '']) => name)
}

/** Sources that others import from, tests and what is written for authors of workers left out. */
function isImported(path: string): boolean {
  return /\.tsx?$/.test(path) && !/\.(?:test|d)\.tsx?$|\/(?:template|node_modules)\//.test(path)
}

/** What is declared more than once under one name, by the reason why it has to be. */
const DECLARED_AGAIN: Readonly<Record<string, readonly string[]>> = {
  'every app opens with these, see AGENTS.md': [
    ...['Options', 'options', 'findConflict', 'AssembleParts', 'Assembled', 'assemble'],
  ],
  'every app has commands, which take flags and look at the computer': [
    ...['FLAGS', 'Flags', 'Extra', 'OperatorHost', 'CommandRun'],
  ],
  'a command has the name of the function that it asks, and every app that has it calls it so': [
    ...['doctor', 'explain', 'graph', 'list', 'metadata'],
  ],
  'bridge and mcp-client are two ends of stdio': [
    ...['LineReader', 'LineReaderOptions', 'createLineReader'],
    // What MCP calls so.
    'ServerInfo',
  ],
  'SDK and embedded engine are two ends of one wire, and the engine knows the protocol alone': [
    ...['AnyFrame', 'Channel', 'InvokeFrame', 'ResultFrame', 'parseFrame', 'UpdateOp'],
  ],
  'the embedded engine knows the protocol alone': [
    ...['createRandom', 'findNearest', 'makeFolder', 'readRegularFile', 'shuffle'],
  ],
  'the page reads over MCP what others declare, and depends on none of them': [
    ...['Difference', 'Graph', 'RunRow', 'TaskRecord', 'listRuns', 'readRun'],
    ...['SKILL_SCHEME', 'SkillFile', 'splitFrontMatter'],
  ],
  'two clocks of two apps that tests move': ['ManualClock', 'createManualClock', 'settle'],
  'levels of MCP, and levels of our own log: both are for authors': ['LogLevel'],
  'a field of results that has one name everywhere': ['leftOut'],
}

describe('the names that are exported', () => {
  const places = new Map<string, Set<string>>()
  const sources = [...packages.map((folder) => `${folder}/src`), 'e2e'].flatMap(listSources).filter(isImported)
  for (const path of sources) {
    for (const name of listDeclared(path)) places.set(name, (places.get(name) ?? new Set()).add(path))
  }
  const again = [...places].filter(([, paths]) => paths.size > 1)

  it('are of one declaration each, in whatever package, in rooms of operators and of tests', () => {
    expect(places.size).toBeGreaterThan(4_000)
    const known = new Set(Object.values(DECLARED_AGAIN).flat())
    const unknown = again.filter(([name]) => !known.has(name))
    expect(unknown.map(([name, paths]) => `${name}: ${[...paths].join(', ')}`)).toEqual([])
  })

  it('are declared again only where the reason still holds', () => {
    const names = new Set(again.map(([name]) => name))
    const listed = Object.values(DECLARED_AGAIN).flat()
    expect(listed.filter((name) => !names.has(name))).toEqual([])
  })
})
