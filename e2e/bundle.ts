import { existsSync, readdirSync, rmSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { embedPage } from '@iii/page/embed'
import { build, type Plugin, stop } from 'esbuild'
import type { ProvidedContext } from 'vitest'
import type { TestProject } from 'vitest/node'
import { BUILT_PROGRAMS, toBuiltPath, toNodeArgs } from './built.ts'
import { isAlive } from './child.ts'
import { STACK_SOURCES } from './programs.ts'

/** What tests start again and again, or where nothing runs from source. Anything else does. */
const PROGRAMS = [
  ...STACK_SOURCES,
  'apps/run-records/src/testing/contender.ts',
  'packages/create-worker/src/main.ts',
  'packages/pack-worker/src/cli.ts',
  'packages/sdk/src/testing/fixture-worker.ts',
  'packages/sdk/src/testing/group-owner.ts',
  'packages/sdk/src/testing/without-files.ts',
  'e2e/conformance/fixture-worker.ts',
  'e2e/conformance/main.ts',
  'e2e/start/main.ts',
  'e2e/suites/main.ts',
] as const

type Program = (typeof PROGRAMS)[number]

/** What programs of tests import by its name, as if it were installed in the folder of the run. */
const PACKAGES = { '@iii/sdk': 'packages/sdk/src/index.ts' }

declare module 'vitest' {
  interface ProvidedContext {
    /** The arguments of a Node that runs a program of this repository. */
    nodeArgs: Readonly<Record<Program, readonly string[]>>
    /** A folder in which `@iii/sdk` is installed and runs without the flags of sources. */
    installed: string
  }
}

const ROOT = fileURLToPath(new URL('../', import.meta.url))
/** Each run has a folder of its own in it, called after its process: several may run at the same time. */
const CACHE = join(ROOT, 'node_modules/.cache/programs')

/**
 * Loaded by vitest before the tests: makes the programs from the sources as they are now, and again whenever a watcher
 * runs tests anew.
 */
export async function setup(project: TestProject): Promise<void> {
  const folder = toFolder()
  // Several projects of a run have the same ones.
  if (process.env[BUILT_PROGRAMS] !== folder) {
    await makePrograms(PROGRAMS)
    project.onTestsRerun(() => bundlePrograms(folder, PROGRAMS))
  }
  const toArgs = (source: string) => toNodeArgs(pathToFileURL(join(ROOT, source)))
  const nodeArgs = Object.fromEntries(PROGRAMS.map((source) => [source, toArgs(source)]))
  project.provide('nodeArgs', nodeArgs as unknown as ProvidedContext['nodeArgs'])
  project.provide('installed', folder)
}

/**
 * Makes programs for this process and those that it starts, as long as it runs.
 *
 * @param maps whether errors shall name lines of sources, and functions have the names that they have there; without, programs run as they
 *   are packed: a name that is kept costs every function that a call makes
 */
export async function makePrograms(sources: readonly string[], { maps = true } = {}): Promise<void> {
  const folder = toFolder()
  forgetKilledRuns()
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  await bundlePrograms(folder, sources, maps)
  process.env[BUILT_PROGRAMS] = folder
}

function toFolder(): string {
  return join(CACHE, String(process.pid))
}

function forgetKilledRuns(): void {
  const runs = existsSync(CACHE) ? readdirSync(CACHE) : []
  for (const run of runs.filter((pid) => !isAlive(Number(pid))))
    rmSync(join(CACHE, run), { recursive: true, force: true })
}

/** Puts each program and all that it needs into one file of that folder. @throws when a source does not compile */
async function bundlePrograms(folder: string, sources: readonly string[], maps = true): Promise<void> {
  const programs = sources.map((source) => ({
    in: source,
    out: toBuiltPath(join(ROOT, source)).replace(/\.mjs$/, ''),
  }))
  const packages = Object.entries(PACKAGES).map(([name, source]) => ({ in: source, out: `node_modules/${name}/index` }))
  await build({
    absWorkingDir: ROOT,
    entryPoints: [...programs, ...packages],
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    external: ['esbuild', 'vitest'],
    splitting: true,
    platform: 'node',
    target: 'node20.19',
    format: 'esm',
    // As packaging does it: jsonc-parser cannot be bundled by its main field.
    mainFields: ['module', 'main'],
    conditions: ['@iii/source'],
    // Names of functions and errors are read by people.
    keepNames: maps,
    charset: maps ? 'utf8' : 'ascii',
    legalComments: 'none',
    logLevel: 'error',
    sourcemap: maps && 'linked',
    sourcesContent: false,
    banner: {
      js: `import { createRequire as toRequire } from 'node:module'; const require = toRequire(import.meta.url);`,
    },
    define: { 'import.meta.url': OWN_URL },
    plugins: [embedPage, keepPlaces],
  })
  // Its process would stay as long as this one.
  await stop()
  for (const name of Object.keys(PACKAGES)) {
    const manifest = { name, type: 'module', exports: './index.mjs' }
    await writeFile(join(folder, 'node_modules', name, 'package.json'), JSON.stringify(manifest))
  }
}

const OWN_URL = 'ownUrl'

/** A source finds the files beside it, wherever the program lies that it has become a part of. */
const keepPlaces: Plugin = {
  name: 'keep-places',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.m?[jt]s$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8')
      if (!text.includes('import.meta.url')) return undefined
      const contents = `const ${OWN_URL} = ${JSON.stringify(pathToFileURL(path).href)};${text}`
      return { contents, loader: path.endsWith('.ts') ? 'ts' : 'js' }
    }),
}
