import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import {
  type AnyOptionTable,
  bridgeOptions,
  readConfigText,
  readServers,
  readSkillFile,
  splitFrontMatter,
  walkFolder,
} from '../../readers.ts'
import { createTempFolder } from '../../stack.ts'
import { anyText, json } from '../inputs.ts'
import { type FuzzTarget, inTime } from '../target.ts'

/** What takes longer than this for one document is no matter of a busy machine. */
const SLOW_MS = 3_000
const nothing = () => Promise.resolve()

const KEYS = [
  'api_path',
  'tier',
  'auth',
  'mode',
  'tokens',
  'hidden_prefixes',
  'allowed_hosts',
  'name',
  'description',
  'priority',
  'servers',
]
const line = fc.oneof(
  fc
    .tuple(fc.nat(6), fc.constantFrom(...KEYS), anyText)
    .map(([deep, key, value]) => `${' '.repeat(deep)}${key}: ${value}`),
  fc.tuple(fc.constantFrom(...KEYS), json).map(([key, value]) => `${key}: ${JSON.stringify(value)}`),
  fc.constantFrom(
    '- a',
    '&a [*a]',
    '<<: *a',
    '? [',
    '%YAML 1.2',
    '---',
    '...',
    '!!js/function x',
    'a: |',
    '\t',
    'k: &x {y: *x}',
  ),
  anyText,
)
const yaml = fc.array(line, { maxLength: 12 }).map((lines) => lines.join('\n'))

function timed<T>(what: string, work: () => T): T {
  const began = performance.now()
  const result = work()
  const took = performance.now() - began
  if (took > SLOW_MS) throw new Error(`${what} takes ${took.toFixed(0)} ms`)
  return result
}

/** Configuration files: read, or refused with a reason that tells nothing of us. */
export const yamlTarget: FuzzTarget<readonly [string, unknown]> = {
  name: 'yaml',
  values: 1_000,
  input: fc.tuple(yaml, json),
  async run([source, raw]) {
    const { problems } = timed('a configuration', () =>
      readConfigText(source, bridgeOptions as unknown as AnyOptionTable),
    )
    if (problems.some((problem) => problem === '' || /\n\s+at /.test(problem)))
      throw new Error(`says ${problems.join()}`)
    for (const servers of [raw, { demo: raw }, { demo: { command: 'x', args: raw, env: raw } }]) {
      timed('servers', () => readServers(servers, { folder: '/srv' }))
    }
    if (({} as Record<string, unknown>)['polluted'] !== undefined) throw new Error('a document changed all objects')
  },
  serves: nothing,
}

/** Front matter: whatever is above the text, no text is made up. */
export const frontMatterTarget: FuzzTarget<string> = {
  name: 'front-matter',
  values: 1_000,
  input: fc
    .tuple(fc.constantFrom('---\n', '--- \r\n', '\ufeff---\n', ''), yaml, anyText)
    .map(([open, fields, rest]) => `${open}${fields}\n---\n${rest}`),
  async run(source) {
    const { fields, text: rest } = timed('front matter', () => splitFrontMatter(source))
    if (!source.endsWith(rest)) throw new Error('the text is not the end of what was given')
    const { name, description, priority } = fields
    const isText = [name, description].every((field) => field === undefined || typeof field === 'string')
    if (!isText || (priority !== undefined && !(priority >= 0 && priority <= 1)))
      throw new Error(JSON.stringify(fields))
  },
  serves: nothing,
}

const segment = fc.oneof(
  fc.constantFrom('SKILL.md', 'orders.md', 'a', 'B b', '.git', '..md', 'x.MD', 'scripts', 'ſ.md'),
  anyText,
)
const files = fc.array(fc.tuple(fc.array(segment, { minLength: 1, maxLength: 4 }), yaml), { maxLength: 8 })

/** Folders of skills: each file is one, or is refused with a reason. */
export const folderTarget: FuzzTarget<readonly (readonly [readonly string[], string])[]> = {
  name: 'folders',
  values: 200,
  input: files,
  async run(all) {
    await using folder = await createTempFolder()
    for (const [segments, content] of all) await put(folder.path, segments, content)
    const found = await inTime('a folder', walkFolder(folder.path))
    for (const { path } of found.files) {
      if (path.startsWith('..')) throw new Error(`leads out of the folder: ${path}`)
      await inTime('a file', readSkillFile(folder.path, path))
    }
    for (const { reason } of found.refused) if (reason === '') throw new Error('refused without a reason')
  },
  serves: nothing,
}

/** A name that the file system does not take is none. */
async function put(root: string, segments: readonly string[], content: string): Promise<void> {
  const safe = segments
    .map((part) => part.replaceAll(/[/\0]/g, '_').slice(0, 80))
    .map((part) => (/^\.{0,2}$/.test(part) ? '_' : part))
  const path = join(root, ...safe)
  await mkdir(dirname(path), { recursive: true }).catch(() => undefined)
  await writeFile(path, content).catch(() => undefined)
}
