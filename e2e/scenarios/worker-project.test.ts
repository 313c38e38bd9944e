import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { startMockEngine } from '@iii/mock-engine'
import { afterAll, beforeAll, expect, inject } from 'vitest'
import { startArchive, unpackArchive } from '../archives.ts'
import { createCleanup } from '../cleanup.ts'
import { openWorkplace, type Workplace } from '../own-project.ts'
import { PACK_MS } from '../packed.ts'
import { scenario } from '../scenario.ts'
import { until } from '../until.ts'

const SLOW_MS = 120_000
const GREETING = { greeting: 'Hello, Ada!' }

const nodes = (inject('nodes') ?? [dirname(process.execPath)]).map((node) => {
  const version = execFileSync(join(node, 'node'), ['--version'], { encoding: 'utf8' })
  return { node, major: version.split('.')[0]?.slice(1) ?? '' }
})
const LANGUAGES = { TypeScript: [], 'plain JavaScript': ['--js'] } as const

const cleanup = createCleanup()
/** By the Node that everything runs on. */
const workplaces = new Map<string, Workplace>()

/** In each an author has created a project in either language. */
beforeAll(async () => {
  for (const { node } of nodes) {
    const workplace = cleanup.use(await openWorkplace(node))
    workplaces.set(node, workplace)
    for (const flags of Object.values(LANGUAGES)) await workplace.create(toFolder(flags), ...flags)
  }
}, PACK_MS)
afterAll(() => cleanup.run())

function toFolder(flags: readonly string[]): string {
  return flags.length === 0 ? 'tea-house' : 'tea'
}

function find(node: string): Workplace {
  const workplace = workplaces.get(node)
  if (workplace === undefined) throw new Error(`nothing was created on ${node}`)
  return workplace
}

for (const { node, major } of nodes) {
  for (const [language, flags] of Object.entries(LANGUAGES)) {
    const name = toFolder(flags)
    const where = `in ${language} on Node ${major}`

    scenario(
      ['project/created'],
      `a created project ${where} type-checks, and its tests pass`,
      async () => {
        const { npm } = find(node)
        expect(await npm(name, 'test')).toMatch(/2 passed/)
      },
      { timeout: SLOW_MS },
    )

    scenario(['project/started'], `npm start ${where} says how to start an engine, and serves on it`, async () => {
      const { path, env } = find(node)
      await using reserved = await startMockEngine()
      const { port } = new URL(reserved.url)
      await reserved.close()
      const args = ['start', '--', '--url', reserved.url]
      const child = spawn('npm', args, {
        cwd: join(path, name),
        env,
        detached: true,
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      const said: string[] = []
      createInterface({ input: child.stderr }).on('line', (line) => said.push(line))
      const says = (text: string) => until(() => said.some((line) => line.includes(text)), { what: `'${text}'` })
      try {
        await says(`npx @iii/mock-engine --port ${port}`)
        await using engine = await startMockEngine({ port: Number(port) })
        await says('ready')
        expect(await engine.call(`${name}::greet`, { name: 'Ada' })).toEqual(GREETING)
      } finally {
        const gone = once(child, 'close')
        process.kill(-(child.pid ?? 0), 'SIGTERM')
        await gone
      }
    })

    scenario(
      ['project/packed'],
      `npm run pack ${where} makes archives that run as the engine runs them`,
      async () => {
        const { path, npm } = find(node)
        await npm(name, 'run', 'pack')
        const project = join(path, `${name}-host`)
        await mkdir(project)
        for (const type of ['binary', 'bundle'] as const) {
          await using engine = await startMockEngine()
          const archive = join(path, name, `archives/${name}-0.1.0-${type}.tar.gz`)
          const folder = await unpackArchive(archive, join(project, type))
          await using worker = startArchive({ name, type, folder, project, engineUrl: engine.url, node })
          const greet = () => engine.call(`${name}::greet`, { name: 'Ada' })
          const greeting = await until(greet, { what: name }).catch((error: Error) => {
            throw new Error(`${error.message}\n${worker.said.join('')}`)
          })
          expect(greeting).toEqual(GREETING)
        }
      },
      { timeout: SLOW_MS },
    )
  }
}

const [first] = nodes

scenario(['project/packed'], 'what a registry would refuse is not packed for one, and each lack is named', async () => {
  const { path, npm } = find(first?.node ?? '')
  const pack = (...words: string[]) => npm('tea', 'exec', '--', 'iii-pack-worker', ...words)
  await expect(pack('--base-url', 'https://example.com/files')).rejects.toThrow(
    /tea cannot be published:\n {2}package\.json has no license\n {2}package\.json has no repository/,
  )
  await npm('tea', 'pkg', 'set', 'license=MIT', 'repository=https://example.com/tea')
  await pack('--base-url', 'https://example.com/files')
  const payload = JSON.parse(readFileSync(join(path, 'tea/archives/tea-0.1.0-binary.json'), 'utf8'))
  expect(payload).toMatchObject({ worker_name: 'tea', version: '0.1.0', functions: [{ name: 'tea::greet' }] })
  expect(Object.values(payload.binaries)).toContainEqual({
    url: 'https://example.com/files/tea-0.1.0-binary.tar.gz',
    sha256: readFileSync(join(path, 'tea/archives/tea-0.1.0-binary.tar.gz.sha256'), 'utf8').split(' ')[0],
  })
})

scenario(
  ['project/refused'],
  'a folder with something in it is left alone, and a wrong name is explained',
  async () => {
    const { path, env } = find(first?.node ?? '')
    const create = (...words: string[]) =>
      promisify(execFile)('npm', ['create', '--yes', 'iii-worker', ...words], { cwd: path, env }).catch(
        (error: Error & { stderr: string }) => error.stderr,
      )
    const before = readFileSync(join(path, 'tea/package.json'), 'utf8')
    expect(await create('tea')).toContain('tea is not empty: it has ')
    expect(await create('state')).toContain("'state' cannot be the name of a worker: it belongs to the engine")
    expect(readFileSync(join(path, 'tea/package.json'), 'utf8')).toBe(before)
  },
)
