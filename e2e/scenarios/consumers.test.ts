import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { type BuildResult, build } from 'esbuild'
import { afterAll, beforeAll, expect } from 'vitest'
import { runToEnd } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { startNpmRegistry } from '../npm-registry.ts'
import { PACK_MS, PUBLISHED_NAMES, packPackages } from '../packed.ts'
import { scenario } from '../scenario.ts'
import { createTempFolder } from '../stack.ts'

/** The most that a browser loads of the protocol, without zod, in bytes after gzip. */
const BROWSER_BYTES = 13_000
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
const SLOW_MS = 120_000

const run = promisify(execFile)
const cleanup = createCleanup()
let project: string
let npm: (...args: string[]) => Promise<string>

/** An empty project, into which npm installs what was packed and a compiler. */
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
  await npm('install', ...flags, ...Object.values(packed), `typescript@${readCompilerVersion()}`)
}, PACK_MS)
afterAll(() => cleanup.run())

function readCompilerVersion(): string {
  const manifest = new URL('../../node_modules/typescript/package.json', import.meta.url)
  return JSON.parse(readFileSync(manifest, 'utf8')).version
}

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
      const strictness = { strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false, noEmit: true }
      const compilerOptions = { ...strictness, types: [], lib, target: 'es2023', module, moduleResolution }
      const config = join(project, `tsconfig.${moduleResolution}.json`)
      await writeFile(config, JSON.stringify({ compilerOptions, files }))
      const tsc = pathToFileURL(join(project, 'node_modules/typescript/bin/tsc'))
      const { stdout } = await runToEnd({ name: 'tsc', entry: tsc, args: ['-p', config], cwd: project }, SLOW_MS)
      expect(stdout.split('\n').map((line) => line.split(': ')[0])).toEqual(files.map((file) => `${file}(2,14)`))
      expect(stdout).not.toMatch(/error TS(?!2322)/)
    },
    { timeout: SLOW_MS },
  )
}

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
