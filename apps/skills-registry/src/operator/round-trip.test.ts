import { checkSkillId, type SkillFile } from '@iii/protocol'
import { createCapture, createScreen } from '@iii/sdk/cli'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createFilledFolder } from '../testing/folder.ts'
import { createMemoryRegistry, type MemoryRegistry } from '../testing/memory-registry.ts'
import { exportFolder } from './export.ts'
import { importFolder } from './import.ts'
import { createRemote } from './remote.ts'
import type { RegistryWork } from './session.ts'

const RUNS = { numRuns: 40 }

/** Few names, so that ids meet: one is the parent of another, or called like the file of a skill. */
const segment = fc.oneof(
  fc.constantFrom('a', 'b', 'skill', 'md', 'references', '-', '_x'),
  fc.stringMatching(/^[a-z0-9_-]{1,8}$/),
)
const id = fc
  .array(segment, { minLength: 1, maxLength: 4 })
  .map((segments) => segments.join('/'))
  .filter((text) => checkSkillId(text) === undefined)

const text = fc.oneof(
  fc.string({ unit: 'binary-ascii', maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 30 }),
)
const plainBody = fc
  .tuple(fc.constantFrom('', '\uFEFF', '# T\r\n', '---\nname: no description\n---\n', '---\n'), text)
  .map(([head, rest]) => `${head}${rest}x`)
  .filter((body) => body.isWellFormed())
const agentBody = text.filter((body) => body.isWellFormed()).map((body) => `---\nname: n\ndescription: d\n---\n${body}`)
const isAgentBody = (body: string) => body.startsWith('---\nname: n\ndescription')

const skills = fc.dictionary(id, fc.oneof(plainBody, agentBody), { maxKeys: 12, noNullPrototype: true })

/** A folder as its owner would have it: Agent Skills, and what lies below them, in folders, plain markdown in files. */
function toTree(bodies: Readonly<Record<string, string>>): Record<string, string> {
  const folders = new Set<string>()
  const isInFolder = (key: string) => [...folders].some((folder) => key.startsWith(`${folder}/`))
  const parentsFirst = Object.entries(bodies).sort(([a], [b]) => a.split('/').length - b.split('/').length)
  const entries = parentsFirst.map(([key, body]) => {
    const isFolder = isAgentBody(body) || /(^|\/)skill$/.test(key) || isInFolder(key)
    if (isFolder) folders.add(key)
    return [isFolder ? `${key}/SKILL.md` : `${key}.md`, body]
  })
  return Object.fromEntries(entries)
}

type Content = { text: string } | { base64: string }

function toFile(bytes: Buffer): Content {
  const text = bytes.toString()
  return Buffer.from(text).equals(bytes) ? { text } : { base64: bytes.toString('base64') }
}

function toFiles(contents: Readonly<Record<string, Content>>): SkillFile[] {
  return Object.keys(contents)
    .sort()
    .map((path) => ({ path, ...contents[path] }))
}

async function run(work: RegistryWork, dir: string, registry: MemoryRegistry): Promise<{ code: number; text: string }> {
  const [stdout, stderr] = [createCapture(), createCapture()]
  const remote = createRemote(async ({ id: functionId, response }, payload) =>
    response.parse(await registry.call(functionId, payload as Record<string, unknown>)),
  )
  const flags = { json: false, as: undefined, dryRun: false, force: false, prune: true }
  const code = await work({
    operands: [dir],
    flags,
    screen: createScreen({ stdout, stderr }),
    connect: async () => remote,
  })
  return { code, text: stdout.text() + stderr.text() }
}

describe('import and export', () => {
  it('give back every folder as it was, names and bytes', async () => {
    await fc.assert(
      fc.asyncProperty(skills, async (bodies) => {
        const tree = toTree(bodies)
        await using before = await createFilledFolder(tree)
        await using after = await createFilledFolder()
        const registry = createMemoryRegistry()
        expect((await run(importFolder, before.path, registry)).code).toBe(0)
        expect(Object.fromEntries(registry.skills)).toEqual(bodies)
        expect((await run(exportFolder, after.path, registry)).code).toBe(0)
        expect(await after.read()).toEqual(tree)
      }),
      RUNS,
    )
  })

  it('give back every registry as it was, changing nothing where it came from', async () => {
    await fc.assert(
      fc.asyncProperty(skills, async (bodies) => {
        await using folder = await createFilledFolder()
        const registry = createMemoryRegistry(bodies)
        await run(exportFolder, folder.path, registry)
        registry.calls.length = 0
        const { code } = await run(importFolder, folder.path, registry)
        expect([code, registry.calls.filter((call) => /register/.test(call))]).toEqual([0, []])
        const other = createMemoryRegistry()
        await run(importFolder, folder.path, other)
        expect(Object.fromEntries(other.skills)).toEqual(bodies)
      }),
      RUNS,
    )
  })

  it('give back the files of every skill, names and bytes', async () => {
    const paths = ['Docs/LIMITS.md', 'Docs/limits.md', 'run it.py', 'logo.png', 'Ü/😀.txt', '-', "it's [odd].md"]
    const contents = fc.uint8Array({ maxLength: 40 }).map((bytes) => toFile(Buffer.from(bytes)))
    const files = fc.dictionary(fc.constantFrom(...paths), contents, { noNullPrototype: true })
    const all = fc.dictionary(id, fc.tuple(fc.oneof(plainBody, agentBody), files), {
      maxKeys: 6,
      noNullPrototype: true,
    })
    const isMixed = (key: string, keys: readonly string[]) => keys.some((other) => other.startsWith(`${key}/-`))
    await fc.assert(
      fc.asyncProperty(all, async (entries) => {
        const registry = createMemoryRegistry()
        for (const [key, [body, given]] of Object.entries(entries)) {
          // A skill at the place of a file cannot be written.
          if (isMixed(key, Object.keys(entries))) continue
          registry.skills.set(key, body)
          registry.files.set(key, toFiles(given))
        }
        await using one = await createFilledFolder()
        await using two = await createFilledFolder()
        const other = createMemoryRegistry()
        expect((await run(exportFolder, one.path, registry)).code).toBe(0)
        expect((await run(importFolder, one.path, other)).code).toBe(0)
        expect(other.skills).toEqual(new Map([...registry.skills].sort()))
        for (const [key, given] of registry.files) expect(other.files.get(key) ?? []).toEqual(given)
        expect((await run(exportFolder, two.path, other)).code).toBe(0)
        expect(await two.read()).toEqual(await one.read())
        other.calls.length = 0
        await run(importFolder, two.path, other)
        expect(other.calls.filter((call) => /register/.test(call))).toEqual([])
      }),
      { numRuns: 20 },
    )
  })

  it('leave every folder alone that was imported, however its files are called', async () => {
    const anyForm = fc.tuple(skills, fc.infiniteStream(fc.boolean())).map(([bodies, coins]) => {
      const paths = Object.keys(bodies).map((key) => {
        const isFolder = /(^|\/)skill$/.test(key) || coins.next().value
        const spelled = key
          .split('/')
          .map((name) => (coins.next().value && name !== 'skill' ? name.toUpperCase() : name))
        return [isFolder ? `${spelled.join('/')}/SKILL.md` : `${spelled.join('/')}.md`, bodies[key] ?? '']
      })
      return Object.fromEntries(paths) as Record<string, string>
    })
    await fc.assert(
      fc.asyncProperty(anyForm, async (tree) => {
        await using folder = await createFilledFolder(tree)
        const registry = createMemoryRegistry()
        await run(importFolder, folder.path, registry)
        const { code, text: said } = await run(exportFolder, folder.path, registry)
        expect([code, said]).toEqual([0, expect.stringMatching(/^(no skills|\d+ unchanged)\n$/)])
        expect(await folder.read()).toEqual(tree)
      }),
      RUNS,
    )
  })
})
