import { readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Metafile, type Plugin } from 'esbuild'
import { type PackedWorker, ROOT } from './workers.ts'

/** A worker as one file. */
export interface WorkerScript {
  readonly text: string
  /** Lies beside the file, as FILE.map. */
  readonly map: string
}

/**
 * The file has to run under any name, with any ending or none, below a `package.json` of any type: a function that gets
 * its `require` is a script as well as a module.
 */
const HEAD = "#!/usr/bin/env node\n(function (require, selfUrl) { 'use strict';"
const FOOT =
  "})(process.getBuiltinModule('node:module').createRequire(process.argv[1]), process.getBuiltinModule('node:url').pathToFileURL(process.argv[1]).href)"

/** Puts a worker and all that it needs into one file. @param file how it will be called, for its source map */
export async function buildScript(worker: PackedWorker, file: string): Promise<WorkerScript> {
  const result = await build({
    entryPoints: [join(worker.folder, 'src/main.ts')],
    absWorkingDir: fileURLToPath(ROOT),
    outfile: join(worker.folder, 'bundle', file),
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    target: 'node20.19',
    format: 'cjs',
    conditions: ['@iii/source'],
    minify: true,
    // Names of functions and errors are read by people.
    keepNames: true,
    charset: 'utf8',
    legalComments: 'none',
    sourcemap: 'linked',
    define: {
      'import.meta.url': 'selfUrl',
      'process.env.WS_NO_BUFFER_UTIL': '"1"',
      'process.env.WS_NO_UTF_8_VALIDATE': '"1"',
    },
    plugins: [createEntryPlugin(worker)],
    banner: { js: HEAD },
    footer: { js: FOOT },
  })
  const find = (ending: string) => result.outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? ''
  return { text: `${find(file)}${formatLicences(result.metafile)}`, map: find('.map') }
}

const READS_MANIFEST = "readFileSync(new URL('../package.json', import.meta.url), 'utf8')"

/** An app reads its version from the manifest beside it, and waits at its top level: neither is possible in one script. */
function createEntryPlugin({ folder, version, description }: PackedWorker): Plugin {
  const entry = join(folder, 'src/main.ts')
  return {
    name: 'worker-entry',
    setup: ({ onLoad }) =>
      onLoad({ filter: /[\\/]src[\\/]main\.ts$/ }, async ({ path }) => {
        if (path !== entry) return undefined
        return { contents: toScriptEntry(await readFile(path, 'utf8'), { version, description }), loader: 'ts' }
      }),
  }
}

/** The source with its version in it, and with all that follows the imports in a function. Lines stay what they are. */
export function toScriptEntry(source: string, manifest: object): string {
  const last = [...source.matchAll(/^import\b[^']*'[^']+'$/gm)].pop()
  if (last === undefined || !source.includes(READS_MANIFEST)) {
    throw new Error(`The entry of a worker imports something and has ${READS_MANIFEST}`)
  }
  const end = last.index + last[0].length
  const body = source.slice(end).replace(READS_MANIFEST, () => JSON.stringify(JSON.stringify(manifest)))
  return `${source.slice(0, end)};void (async () => {${body}\n})()\n`
}

/** What the licences of others ask for: their texts travel with their code. */
function formatLicences({ inputs }: Metafile): string {
  const folders = Object.keys(inputs).flatMap(
    (path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0] ?? [],
  )
  const texts = [...new Set(folders)].map((folder) => readLicence(fileURLToPath(new URL(`${folder}/`, ROOT))))
  return texts.length === 0
    ? ''
    : `\n/*\nThis file contains:\n\n${texts.sort().join('\n\n').replaceAll('*/', '* /')}\n*/\n`
}

function readLicence(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<
    string,
    string
  >
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
  if (file === undefined) return `${name} ${version}, ${license}`
  return `${name} ${version}, ${license}\n\n${readFileSync(join(folder, file), 'utf8').trim()}`
}
