import { execFile, execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect } from 'vitest'
import { startArchive, unpackArchive } from '../archives.ts'
import { runToEnd, startChild } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { connectToEngine, hasFunctions, requestOnce, SKILLS_FUNCTIONS } from '../facts.ts'
import { type NpmRegistry, startNpmRegistry } from '../npm-registry.ts'
import { ENGINE_READY } from '../programs.ts'
import { scenario } from '../scenario.ts'
import { createTempFolder } from '../stack.ts'
import { until } from '../until.ts'

const SLOW_MS = 240_000
const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const NAMES = [
  '@iii/mcp',
  '@iii/mcp-client',
  '@iii/mock-engine',
  '@iii/pack-worker',
  '@iii/protocol',
  '@iii/runs',
  '@iii/sdk',
  '@iii/skills',
  'create-iii-worker',
]

/** Those that come with nothing, and what of them does the work. */
const ALONE: Readonly<Record<string, string>> = {
  '@iii/mcp': 'bundle',
  '@iii/mcp-client': 'bundle',
  '@iii/runs': 'bundle',
  '@iii/skills': 'bundle',
  'create-iii-worker': 'template',
}

const cleanup = createCleanup()
let clone: string
let home: string
let registry: NpmRegistry
let before: string
let version: string

/** A release, by the scripts that the workflow calls, in a clone of the tree as it is. */
beforeAll(async () => {
  const { path } = cleanup.use(await createTempFolder())
  clone = join(path, 'clone')
  home = join(path, 'home')
  await mkdir(home)
  registry = cleanup.use(await startNpmRegistry())
  await cloneTree()
  before = readVersion('apps/mcp-bridge')
  await writeFile(join(clone, '.changeset/probe.md'), "---\n'@iii/mcp': minor\n---\n\nA change to try releases with.\n")
  await runScript('release:version')
  version = readVersion('apps/mcp-bridge')
  await runScript('release:npm')
  await runScript('pack:workers')
}, SLOW_MS)
afterAll(() => cleanup.run())

/** The files of the working tree in a repository of their own, with what is installed here. */
async function cloneTree(): Promise<void> {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: ROOT })
  const files = listed
    .toString()
    .split('\0')
    .filter((file) => file !== '' && existsSync(join(ROOT, file)))
  for (const file of files) await cp(join(ROOT, file), join(clone, file))
  await symlink(join(ROOT, 'node_modules'), join(clone, 'node_modules'))
  for (const folder of files.filter((file) => file.endsWith('/package.json')).map(dirname)) {
    const links = join(ROOT, folder, 'node_modules')
    const filter = (path: string) => !/node_modules[\\/]\.(?!bin)/.test(path.slice(ROOT.length))
    if (existsSync(links))
      await cp(links, join(clone, folder, 'node_modules'), { recursive: true, verbatimSymlinks: true, filter })
  }
  const workspace = join(clone, 'pnpm-workspace.yaml')
  // What is installed is complete; pnpm would count it as changed.
  await writeFile(workspace, (await readFile(workspace, 'utf8')).replace(/^verifyDepsBeforeRun:.*$/m, ''))
  const address = registry.url.replace('http:', '')
  await writeFile(join(home, '.npmrc'), `registry=${registry.url}/\n${address}/:_authToken=probe\n`)
  const git = (...args: string[]) => execFileSync('git', args, { cwd: clone, stdio: 'ignore' })
  git('init', '--initial-branch', 'main')
  git('config', 'user.name', 'probe')
  git('config', 'user.email', 'probe@example.com')
  git('add', '--all')
  git('commit', '--message', 'As it is')
}

function readVersion(folder: string): string {
  return JSON.parse(readFileSync(join(clone, folder, 'package.json'), 'utf8')).version
}

async function runScript(name: string): Promise<string> {
  const pnpm = pathToFileURL(join(ROOT, 'node_modules/pnpm/bin/pnpm.cjs'))
  const env = {
    HOME: home,
    TURBO_TELEMETRY_DISABLED: '1',
    TURBO_CACHE_DIR: join(home, 'turbo'),
    npm_config_registry: `${registry.url}/`,
    // The tests themselves are started by a package manager, which says where its own settings are.
    npm_config_userconfig: join(home, '.npmrc'),
    PATH: `${join(ROOT, 'node_modules/.bin')}:${process.env['PATH']}`,
  }
  const options = { name, entry: pnpm, args: ['--silent', 'run', ...name.split(' ')], cwd: clone, env }
  const { code, stdout, stderr } = await runToEnd(options, SLOW_MS)
  expect(code, `pnpm ${name}\n${stdout}\n${stderr}`).toBe(0)
  return stdout
}

scenario(['release/whole'], 'a change set becomes versions, changelogs, packages, tags and archives', async () => {
  expect(version).not.toBe(before)
  expect(readFileSync(join(clone, 'apps/mcp-bridge/CHANGELOG.md'), 'utf8')).toContain('A change to try releases with.')
  expect(readdirSync(join(clone, '.changeset')).filter((file) => file.endsWith('.md'))).toEqual([])
  const names = registry.published.map((row) => row.slice(0, row.lastIndexOf('@')))
  expect(names.sort()).toEqual(NAMES)
  expect(registry.published).toContain(`@iii/mcp@${version}`)
  expect(execFileSync('git', ['tag'], { cwd: clone, encoding: 'utf8' })).toContain(`@iii/mcp@${version}\n`)

  const releases: { tag: string; notes: string; files: string[] }[] = JSON.parse(
    await runScript('release:github --print'),
  )
  expect(releases.map(({ tag }) => tag).sort()).toEqual([...registry.published].sort())
  const release = releases.find(({ tag }) => tag === `@iii/mcp@${version}`)
  expect(release?.notes).toContain('A change to try releases with.')
  const files = ['bundle', 'binary'].flatMap((type) =>
    ['json', 'tar.gz', 'tar.gz.sha256'].map((end) => `mcp-${version}-${type}.${end}`),
  )
  expect(release?.files.map((file) => file.split('/').at(-1)).sort()).toEqual(files.sort())
  const payload = JSON.parse(readFileSync(join(clone, `archives/mcp-${version}-bundle.json`), 'utf8'))
  expect(payload).toMatchObject({ version, dependencies: [{ name: 'skills', version: expect.stringMatching(/^\^/) }] })
  expect(payload.archive_url).toMatch(`%40iii%2Fmcp%40${version}/mcp-${version}-bundle.tar.gz`)
})

scenario(
  ['release/whole'],
  'publishing again publishes nothing',
  async () => {
    const published = [...registry.published]
    await runScript('release:npm')
    expect(registry.published).toEqual(published)
  },
  { timeout: SLOW_MS },
)

scenario(
  ['release/install'],
  'the published packages install into an empty project and serve',
  async () => {
    const project = await install('project', NAMES)
    for (const name of NAMES) expectPublished(join(project, 'node_modules', name), ALONE[name] ?? 'dist')
    for (const name of Object.keys(ALONE)) expect(await installAlone(name)).toEqual([name])

    const bin = (name: string) => pathToFileURL(join(project, 'node_modules', name))
    const mcp = bin('@iii/mcp/bin/iii-mcp.js')
    const printed = await runToEnd({ name: 'iii-mcp', entry: mcp, args: ['--version'], cwd: project })
    expect(printed).toMatchObject({ code: 0, stdout: version, stderr: '' })
    const ports = ['--port', '0', '--http-port', '0']
    const engineProgram = { name: 'engine', entry: bin('@iii/mock-engine/bin/iii-mock-engine.js'), args: ports }
    await using engine = startChild({ ...engineProgram, cwd: project })
    const [, url = '', httpUrl = ''] = await engine.line(ENGINE_READY)
    await using _skills = startChild({
      name: 'skills',
      entry: bin('@iii/skills/bin/iii-skills.js'),
      args: ['--url', url],
      cwd: project,
    })
    await using bridge = startChild({ name: 'mcp', entry: mcp, args: ['--url', url, '--no-stdio'], cwd: project })
    await using control = connectToEngine(url, 'test')
    const isServing = async () =>
      (await hasFunctions(control, SKILLS_FUNCTIONS)) && (await requestOnce(`${httpUrl}/mcp`, 'ping')) !== undefined
    await until(isServing, { what: 'the installed programs to serve' })
    await bridge.stop()

    const folder = await unpackArchive(join(clone, `archives/mcp-${version}-binary.tar.gz`), join(home, 'archive'))
    const node = dirname(process.execPath)
    await using worker = startArchive({ name: 'mcp', type: 'binary', folder, project: home, engineUrl: url, node })
    await until(async () => (await requestOnce(`${httpUrl}/mcp`, 'ping')) !== undefined, {
      what: `the archive: ${worker.said.join('')}`,
    })
  },
  { timeout: SLOW_MS },
)

scenario(
  ['release/carried'],
  'a change of a library releases the apps too, which have it in themselves',
  async () => {
    const apps = [
      'apps/mcp-bridge',
      'apps/mcp-client',
      'apps/run-records',
      'apps/skills-registry',
      'packages/create-worker',
    ]
    const released = apps.map(readVersion)
    await writeFile(join(clone, '.changeset/small.md'), "---\n'@iii/sdk': patch\n---\n\nA small change.\n")
    await runScript('release:version')
    const next = apps.map(readVersion)
    expect(next.filter((now, at) => now === released[at])).toEqual([])
    for (const [at, app] of apps.entries()) {
      const changelog = readFileSync(join(clone, app, 'CHANGELOG.md'), 'utf8')
      expect(changelog).toMatch(
        new RegExp(`## ${next[at]}\\s+### Patch Changes\\s+- Updated dependencies[\\s\\S]*@iii/sdk@`),
      )
    }
  },
  { timeout: SLOW_MS },
)

/** @returns a new project in which npm has installed them */
async function install(folder: string, names: readonly string[]): Promise<string> {
  const project = join(home, folder)
  await mkdir(project)
  await writeFile(join(project, 'package.json'), '{ "private": true }')
  const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--registry', registry.url, ...names]
  const env = { ...process.env, npm_config_cache: join(home, 'npm') }
  await promisify(execFile)('npm', args, { cwd: project, env })
  return project
}

/** @returns all that comes with it, itself included */
async function installAlone(name: string): Promise<string[]> {
  const project = await install(name.replace('/', '-'), [name])
  const lock = JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8')) as { packages: object }
  return Object.keys(lock.packages)
    .filter((path) => path !== '')
    .map((path) => path.replace('node_modules/', ''))
}

/** What others see of a package: nothing of the workspace, no tests. */
function expectPublished(folder: string, content: string): void {
  const text = readFileSync(join(folder, 'package.json'), 'utf8')
  expect(text).not.toMatch(/workspace:|catalog:/)
  expect(JSON.stringify(JSON.parse(text).exports ?? {})).not.toContain('@iii/source')
  expect(JSON.parse(text)).toMatchObject({
    license: 'Apache-2.0',
    engines: { node: '>=20.19' },
    repository: { type: 'git' },
  })
  const files = readdirSync(folder, { recursive: true }).map(String)
  expect(files).toEqual(expect.arrayContaining(['README.md', 'LICENSE', content]))
  expect(files.filter((file) => /\.test\.|(^|[\\/])testing[\\/]|^src/.test(file) && !isOfTemplate(file))).toEqual([])
}

/** Tests that it writes into a project. */
function isOfTemplate(file: string): boolean {
  return file.startsWith('template')
}
