import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { isAlive, runToEnd } from './child.ts'
import { until } from './until.ts'

/** What is published, as npm gets it: built and packed by the first test file of a run that asks, for all of them. */

/** The published packages, by the folders that they are made from. */
const FOLDERS = {
  '@iii/mcp': 'apps/mcp-bridge',
  '@iii/mcp-client': 'apps/mcp-client',
  '@iii/mock-engine': 'packages/mock-engine',
  '@iii/pack-worker': 'packages/pack-worker',
  '@iii/protocol': 'packages/protocol',
  '@iii/runs': 'apps/run-records',
  '@iii/sdk': 'packages/sdk',
  '@iii/skills': 'apps/skills-registry',
  'create-iii-worker': 'packages/create-worker',
} as const

export type PublishedName = keyof typeof FOLDERS
export const PUBLISHED_NAMES = Object.keys(FOLDERS) as PublishedName[]

/** For the hook that packs: a build with nothing to take over, on a busy machine. */
export const PACK_MS = 300_000
const BUILD_MS = 240_000
/** How wrong the time may be that `ps` tells. */
const CLOCK_MS = 5_000

const ROOT = new URL('../', import.meta.url)
const pnpm = new URL('node_modules/pnpm/bin/pnpm.cjs', ROOT)
/** Each run has a folder of its own in it, called after its process: several may run at the same time. */
const CACHE = fileURLToPath(new URL('node_modules/.cache/packed', ROOT))

/** Builds the workspace and packs it. @returns the tarball of each package; they are there as long as the run. */
export async function packPackages(): Promise<Readonly<Record<PublishedName, string>>> {
  // Test files are processes that the one of the run has started.
  const folder = join(CACHE, String(process.ppid))
  const toFile = (name: string) => join(folder, `${name.replace('@', '').replace('/', '-')}.tgz`)
  const done = join(folder, 'done')
  const failed = join(folder, 'failed')
  await forgetEndedRuns()
  if (await isFirst(folder)) {
    await packAll(toFile).then(
      () => writeFile(done, ''),
      async (error: Error) => {
        await writeFile(`${failed}.part`, error.message)
        await rename(`${failed}.part`, failed)
        throw error
      },
    )
  } else {
    await until(() => existsSync(done) || existsSync(failed), { what: 'the packages', deadlineMs: PACK_MS })
    if (existsSync(failed)) throw new Error('another test file could not pack the packages, and says why')
  }
  return Object.fromEntries(PUBLISHED_NAMES.map((name) => [name, toFile(name)])) as Record<PublishedName, string>
}

async function isFirst(folder: string): Promise<boolean> {
  await mkdir(CACHE, { recursive: true })
  return await mkdir(folder).then(
    () => true,
    () => false,
  )
}

async function forgetEndedRuns(): Promise<void> {
  const runs = existsSync(CACHE) ? readdirSync(CACHE) : []
  const ended = runs.filter((pid) => !isAlive(Number(pid)) || isOfAnother(pid))
  await Promise.all(ended.map((run) => rm(join(CACHE, run), { recursive: true, force: true })))
}

/** Whether a run with the number that ours has now left it there: in containers they come again. */
function isOfAnother(pid: string): boolean {
  if (pid !== String(process.ppid)) return false
  const startedAt = Date.parse(execFileSync('ps', ['-o', 'lstart=', '-p', pid], { encoding: 'utf8' }))
  return statSync(join(CACHE, pid)).mtimeMs < startedAt - CLOCK_MS
}

async function packAll(toFile: (name: string) => string): Promise<void> {
  await runPnpm(['run', 'build'], ROOT)
  for (const name of PUBLISHED_NAMES) {
    await runPnpm(['pack', '--out', toFile(name)], new URL(`${FOLDERS[name]}/`, ROOT))
  }
}

async function runPnpm(args: readonly string[], cwd: URL): Promise<void> {
  const name = `pnpm ${args.join(' ')}`
  const env = { TURBO_TELEMETRY_DISABLED: '1' }
  const ended = await runToEnd({ name, entry: pnpm, args, cwd: fileURLToPath(cwd), env }, BUILD_MS)
  if (ended.code !== 0) throw new Error(`${name} ended with ${ended.code}:\n${ended.stdout}\n${ended.stderr}`)
}
