import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import process from 'node:process'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { type BuildResult, build } from 'esbuild'
import { afterAll, beforeAll, expect } from 'vitest'
import { AUTHOR_PROGRAMS } from '../author-programs.ts'
import { AUTHOR_TYPES } from '../author-types.ts'
import { runToEnd } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { COMPILE_MS, compile } from '../compiler.ts'
import { formatMistakes, readErrors, toExpected } from '../mistakes.ts'
import { startNpmRegistry } from '../npm-registry.ts'
import { PACK_MS, PUBLISHED_NAMES, packPackages } from '../packed.ts'
import { readFiles, readPage } from '../pages.ts'
import { scenario } from '../scenario.ts'
import { createTempFolder } from '../stack.ts'

/** The most that a browser loads of the protocol, without zod, in bytes after gzip. */
const BROWSER_BYTES = 16_000
const LIBRARIES = ['@iii/mock-engine', '@iii/pack-worker', '@iii/protocol', '@iii/sdk'] as const
const BINS = {
  'iii-mcp': '@iii/mcp',
  'iii-mcp-client': '@iii/mcp-client',
  'iii-runs': '@iii/runs',
  'iii-skills': '@iii/skills',
  'iii-mock-engine': '@iii/mock-engine',
  'iii-pack-worker': '@iii/pack-worker',
  'create-iii-worker': 'create-iii-worker',
} as const

const run = promisify(execFile)
const cleanup = createCleanup()
let project: string
let npm: (...args: string[]) => Promise<string>

/** An empty project, into which npm installs what was packed; a test runner comes with the types that it has here. */
beforeAll(async () => {
  const { path } = cleanup.use(await createTempFolder())
  const packed = await packPackages()
  const registry = cleanup.use(await startNpmRegistry())
  project = join(path, 'project')
  await mkdir(project)
  await writeFile(join(project, 'package.json'), '{ "private": true, "type": "module" }')
  const env = { ...process.env, npm_config_cache: join(path, 'cache'), npm_config_registry: `${registry.url}/` }
  npm = async (...args) => (await run('npm', args, { cwd: project, env })).stdout
  const flags = ['--no-audit', '--no-fund', '--ignore-scripts']
  await npm('install', ...flags, ...Object.values(packed))
  const vitest = fileURLToPath(new URL('../node_modules/vitest', import.meta.url))
  await symlink(vitest, join(project, 'node_modules/vitest'), 'junction')
}, PACK_MS)
afterAll(() => cleanup.run())

/** Writes a file of the project and runs it with plain Node. */
async function runFile(name: string, text: string) {
  await writeFile(join(project, name), text)
  return await runToEnd({ name, entry: pathToFileURL(join(project, name)), cwd: project })
}

for (const name of PUBLISHED_NAMES) {
  scenario(['package/contents'], `${name} has what npm shows of it, and nothing of the workspace`, () => {
    const folder = join(project, 'node_modules', name)
    const text = readFileSync(join(folder, 'package.json'), 'utf8')
    const manifest = JSON.parse(text)
    expect(manifest).toMatchObject({
      name,
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      description: expect.stringMatching(/\w/),
      license: 'Apache-2.0',
      engines: { node: '>=20.19' },
      repository: { type: 'git', url: expect.stringMatching(/^git\+https:/) },
    })
    expect(text).not.toMatch(/workspace:|catalog:/)
    expect(JSON.stringify(manifest.exports ?? {})).not.toMatch(/@iii\/source|src\//)
    const files = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    expect(files).toEqual(expect.arrayContaining(['README.md', 'LICENSE', 'package.json']))
    expect(
      files
        .filter((file) => /\.test\.|(^|[\\/])testing[\\/]|^src|\.tsbuildinfo$/.test(file))
        .filter((file) => !/^template\b/.test(file)),
    ).toEqual([])
  })
}

const PROTOCOL = `import { formatToolName, formatUri, parseUri, refuse } from '@iii/protocol'

const uri = parseUri('iii://fn/orders/status')
const rules = { requireExpose: false, exposeAll: false, tier: undefined, hiddenPrefixes: [] }
const refusal = refuse('state::get', {}, rules, 'tool')?.reason
console.log(uri === undefined ? 'none' : formatUri(uri), formatToolName('orders::create'), refusal)
`
const PROTOCOL_SAYS = 'iii://fn/orders/status orders__create internal'

const WORKER = `import { startMockEngine } from '@iii/mock-engine'
import { createLog, registerWorker } from '@iii/sdk'
import { z } from 'zod'

const engine = await startMockEngine()
const log = createLog({ name: 'greeter', level: 'silent' })
const worker = registerWorker(engine.url, { name: 'greeter', log })
const Greeting = z.object({ name: z.string() })
worker.registerFunction('greeter::greet', ({ name }) => \`Hello, \${name}\`, { request_format: Greeting })
const greeting = await worker.trigger({ function_id: 'greeter::greet', payload: { name: 'Ada' } })
console.log(greeting)
await worker.shutdown()
await engine[Symbol.asyncDispose]()
`

scenario(['package/protocol', 'package/imports'], 'the installed libraries work from plain JS', async () => {
  expect(await runFile('protocol.js', PROTOCOL)).toMatchObject({ code: 0, stdout: PROTOCOL_SAYS, stderr: '' })
  expect(await runFile('worker.js', WORKER)).toMatchObject({ code: 0, stdout: 'Hello, Ada', stderr: '' })
})

async function runAuthor(name: keyof typeof AUTHOR_PROGRAMS): Promise<void> {
  const { code, says } = AUTHOR_PROGRAMS[name]
  expect(await runFile(`${name}.js`, code)).toMatchObject({ code: 0, stdout: says, stderr: '' })
}

scenario(['package/turns'], 'of readers in three processes who ask for the one copy of a book, one gets it', () =>
  runAuthor('turns'),
)

scenario(['package/testing'], 'questions, failures, broken results and publishing are tested in plain JS', () =>
  runAuthor('testing'),
)

scenario(['package/surface'], 'helpers of command lines have a door of their own, and misuse says what is right', () =>
  runAuthor('surface'),
)

/** Each has one mistake on purpose: a check that finds just these has seen the types, and nothing wrong in them. */
const MISTAKE = `import * as library from 'LIBRARY'
export const mistake: number = library.FUNCTION
`
const FUNCTIONS = {
  '@iii/mock-engine': 'startMockEngine',
  '@iii/pack-worker': 'packArchives',
  '@iii/protocol': 'parseUri',
  '@iii/sdk': 'registerWorker',
}

const NODE = { libraries: LIBRARIES, lib: ['es2023'] }
const PAGE = { libraries: ['@iii/protocol'] as const, lib: ['es2023', 'dom'] }

for (const { what, moduleResolution, libraries, lib } of [
  { what: 'the libraries, with no types but their own,', moduleResolution: 'nodenext', ...NODE },
  { what: 'the libraries, with no types but their own,', moduleResolution: 'bundler', ...NODE },
  { what: 'the protocol in a page', moduleResolution: 'bundler', ...PAGE },
]) {
  scenario(
    ['package/types', 'package/protocol'],
    `${what} type-check with ${moduleResolution}`,
    async () => {
      const files = libraries.map((name) => `${name.split('/')[1]}.ts`)
      for (const [index, name] of libraries.entries()) {
        const text = MISTAKE.replace('LIBRARY', name).replace('FUNCTION', FUNCTIONS[name])
        await writeFile(join(project, files[index] ?? ''), text)
      }
      const module = moduleResolution === 'bundler' ? 'esnext' : moduleResolution
      const options = { types: [], lib, module, moduleResolution }
      const said = await compile('current', { folder: project, files, options })
      expect(said.split('\n').map((line) => line.split(': ')[0])).toEqual(files.map((file) => `${file}(2,14)`))
      expect(said).not.toMatch(/error TS(?!2322)/)
    },
    { timeout: COMPILE_MS },
  )
}

/** As a test runner compiles them: with file endings, and what `await using` needs. */
const NODE_OPTIONS = { module: 'nodenext', lib: ['es2023', 'esnext.disposable'], allowImportingTsExtensions: true }

/** Writes the files that a page gives in full into a folder of the project. */
async function writeFiles(page: string): Promise<string[]> {
  const files = [...readFiles(readPage(page))].filter(([name]) => name.endsWith('.ts'))
  const paths = files.map(([name, code]) => ({ path: join(basename(page, '.md'), name), code }))
  for (const { path, code } of paths) {
    await mkdir(join(project, path, '..'), { recursive: true })
    await writeFile(join(project, path), code)
  }
  return paths.map(({ path }) => path)
}

for (const compiler of ['oldest', 'newest'] as const) {
  scenario(
    ['package/documents', 'package/mistakes'],
    `the code of the documents compiles with the ${compiler} TypeScript, which tells mistakes where they are made`,
    async () => {
      // An example of a test lies beside the sample.
      const sample = fileURLToPath(new URL('../sample-worker', import.meta.url))
      await cp(sample, join(project, 'writing-a-worker/sample-worker'), { recursive: true })
      const pages = [await writeFiles('docs/writing-a-worker.md'), await writeFiles('docs/testing-your-worker.md')]
      expect(pages.flat()).toEqual(
        expect.arrayContaining(['writing-a-worker/tea/main.ts', 'testing-your-worker/tea.ts']),
      )
      const written = Object.entries({ ...AUTHOR_TYPES, 'mistakes.ts': formatMistakes() })
      for (const [name, code] of written) await writeFile(join(project, name), code)
      const files = [...pages.flat(), ...written.map(([name]) => name)]
      const said = await compile(compiler, { folder: project, files, options: NODE_OPTIONS })
      const mistakes = toExpected('mistakes.ts').map(({ at, says }) => ({ at, says: expect.stringMatching(says) }))
      expect(readErrors(said)).toEqual(mistakes)
    },
    { timeout: COMPILE_MS },
  )
}

scenario(['package/documents'], 'the sample worker is packed with its skills', async () => {
  const folder = join(project, 'orders')
  const sample = fileURLToPath(new URL('../sample-worker', import.meta.url))
  await cp(sample, join(folder, 'src'), { recursive: true })
  const about = { name: 'orders', version: '0.1.0', description: 'Takes orders', type: 'module' }
  await writeFile(join(folder, 'package.json'), JSON.stringify(about))
  const start = { install: '', start: 'exec node bundle/index.mjs' }
  const manifest = { iii: 'v1', name: 'orders', description: 'Takes orders', deploy: 'bundle', scripts: start }
  await writeFile(join(folder, 'iii.worker.yaml'), JSON.stringify(manifest))
  const entry = pathToFileURL(join(project, 'node_modules/@iii/pack-worker/bin/iii-pack-worker.js'))
  expect(await runToEnd({ name: 'pack', entry, args: ['--no-start'], cwd: folder })).toMatchObject({ code: 0 })
  const packed = readFileSync(join(folder, 'bundle/index.mjs'), 'utf8')
  for (const skill of ['orders', 'refunds']) {
    expect(packed).toContain(JSON.stringify(readFileSync(join(sample, `skills/${skill}.md`), 'utf8')).slice(1, 40))
  }
})

/** As a page gets it: one file, made from JavaScript that runs in browsers. */
async function bundleForBrowser(text: string, external: string[]): Promise<BuildResult & { text: string }> {
  await writeFile(join(project, 'page.js'), text)
  const result = await build({
    entryPoints: [join(project, 'page.js')],
    bundle: true,
    platform: 'browser',
    format: 'esm',
    minify: true,
    write: false,
    external,
  })
  return { ...result, text: result.outputFiles[0]?.text ?? '' }
}

scenario(['package/browser'], 'all of the protocol is small in a page, and what is not used is left out', async () => {
  const whole = await bundleForBrowser(`export * from '@iii/protocol'`, ['zod'])
  expect(whole.warnings).toEqual([])
  expect(gzipSync(whole.text).length).toBeLessThan(BROWSER_BYTES)
  const part = await bundleForBrowser(`export { formatToolName } from '@iii/protocol'`, ['zod'])
  expect(part.text.length).toBeLessThan(whole.text.length / 3)
})

scenario(['package/browser', 'package/protocol'], 'the protocol in a page needs nothing of Node', async () => {
  const { text, warnings } = await bundleForBrowser(PROTOCOL, [])
  expect(warnings).toEqual([])
  expect(text).not.toMatch(/from\s*["']node:|\brequire\(["']/)
  // Run where nothing of the workspace can be found.
  const file = join(project, '../page.mjs')
  await writeFile(file, text)
  expect(await runToEnd({ name: 'page', entry: pathToFileURL(file) })).toMatchObject({ code: 0, stdout: PROTOCOL_SAYS })
})

for (const [bin, name] of Object.entries(BINS)) {
  scenario(['package/bins'], `npx runs the installed ${bin}`, async () => {
    const { version } = JSON.parse(readFileSync(join(project, 'node_modules', name, 'package.json'), 'utf8'))
    expect((await npm('exec', '--no', '--', bin, '--version')).trim()).toMatch(new RegExp(`\\b${version}$`))
  })
}
