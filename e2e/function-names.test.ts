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

const apps = packages.filter((folder) => folder.startsWith('apps/'))

const declared = /^export (?:async )?(?:function\*?|interface|type|const|class) (\w+)/gm

function listDeclared(path: string): string[] {
  return [...readFileSync(new URL(path, root), 'utf8').matchAll(declared)].map(([, name = '']) => name)
}

/** The names that a source hands on from others, as those who import it call them. */
function listHandedOn(path: string): string[] {
  const text = readFileSync(new URL(path, root), 'utf8')
  const all = [...text.matchAll(/^export \* from '\.\/([^']+)'/gm)].flatMap(([, from = '']) =>
    listDeclared(new URL(from, new URL(path, root)).pathname),
  )
  const lists = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, list = '']) => list.split(','))
  return [
    ...all,
    ...lists.map(
      (item) =>
        item
          .trim()
          .split(/ as | /)
          .at(-1) ?? '',
    ),
  ].filter((name) => name !== '')
}

/** The doors of a package: what its manifest lets others import. */
function listDoors(folder: string): string[] {
  const manifest = readFileSync(new URL(`${folder}/package.json`, root), 'utf8')
  return [...manifest.matchAll(/"@iii\/source": "\.\/([^"]+)"/g)].map(([, path = '']) => `${folder}/${path}`)
}

/** What every app has of its own and under one name, or two that have it have it of one kind. */
const OF_EACH_APP = new Set([
  // How an app opens, see AGENTS.md.
  ...['Options', 'options', 'findConflict', 'AssembleParts', 'Assembled', 'assemble'],
  // Cuts what comes in through a pipe into lines.
  ...['LineReader', 'LineReaderOptions', 'createLineReader'],
  // What MCP calls `serverInfo`.
  'ServerInfo',
])

/** By name, the files that declare it for others. A command has the name of the function that it asks. */
function listPlaces(folders: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> {
  const places = new Map<string, Set<string>>()
  const sources = folders.flatMap((folder) => listSources(`${folder}/src`))
  for (const path of sources.filter((file) => isShipped(file) && !file.includes('/operator/'))) {
    for (const name of listDeclared(path)) places.set(name, (places.get(name) ?? new Set()).add(path))
  }
  return places
}

describe('the names that a package exports', () => {
  it.each(packages)('of %s mean one thing each', (folder) => {
    const places = listPlaces([folder])
    const twice = [...places].filter(([, paths]) => paths.size > 1)
    expect(twice.map(([name, paths]) => `${name}: ${[...paths].join(', ')}`)).toEqual([])
  })

  it('of two apps mean one thing', () => {
    const twice = [...listPlaces(apps)].filter(([name, paths]) => paths.size > 1 && !OF_EACH_APP.has(name))
    expect(twice.map(([name, paths]) => `${name}: ${[...paths].join(', ')}`)).toEqual([])
  })

  it.each(apps)('of %s are none that SDK or protocol give to everybody', (folder) => {
    const doors = ['packages/sdk', 'packages/protocol'].flatMap(listDoors)
    const given = new Set(doors.flatMap((door) => [...listDeclared(door), ...listHandedOn(door)]))
    expect(given.size).toBeGreaterThan(300)
    const own = listSources(`${folder}/src`).filter(isShipped)
    expect(
      own.flatMap((path) =>
        listDeclared(path)
          .filter((name) => given.has(name))
          .map((name) => `${name}: ${path}`),
      ),
    ).toEqual([])
  })
})
