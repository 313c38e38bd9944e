import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  createTextPlugin,
  formatLicences,
  place,
  SCRIPT,
  SCRIPT_FOOT,
  SCRIPT_HEAD,
  SELF_STARTING,
} from '@iii/pack-worker'
import { buildPage, embedPage } from '@iii/page/embed'
import { build, type Plugin } from 'esbuild'
import { buildCarried, createCarriedPlugin } from './carried.ts'
import { ONE_SMALL_FILE } from './one-file.ts'
import { type OwnWorker, ROOT } from './workers.ts'

/** An older Node would only say which of its parts is missing. */
const [OLDEST_MAJOR, OLDEST_MINOR] = ONE_SMALL_FILE.target.replace('node', '').split('.')
const IS_OLD = `v[0] < ${OLDEST_MAJOR} || (v[0] == ${OLDEST_MAJOR} && v[1] < ${OLDEST_MINOR})`
const SAY_OLD = `process.stderr.write('Node.js ${OLDEST_MAJOR}.${OLDEST_MINOR} or newer is needed, this is ' + process.version + ': ' + process.execPath + '\\n')`
const CHECK = `(function (v) { if (${IS_OLD}) { ${SAY_OLD}; process.exit(1) } })(process.versions.node.split('.').map(Number));`

/** Puts a worker and all that it needs into one file of its app, with a source map beside it. Returns its text. */
export async function writeScript(worker: OwnWorker): Promise<string> {
  const { folder, carries } = worker
  const root = fileURLToPath(ROOT)
  const carried = await buildCarried(folder, carries)
  const result = await build({
    ...ONE_SMALL_FILE,
    entryPoints: [join(folder, 'src/main.ts')],
    absWorkingDir: root,
    outfile: join(folder, SCRIPT),
    format: 'cjs',
    sourcemap: 'linked',
    define: { ...ONE_SMALL_FILE.define, 'import.meta': 'importMetaOfScript' },
    plugins: [
      embedPage,
      ...ONE_SMALL_FILE.plugins,
      createEntryPlugin(worker),
      createCarriedPlugin(carried.texts),
      createTextPlugin(root),
    ],
    banner: { js: `${SELF_STARTING}${CHECK}${SCRIPT_HEAD}` },
    footer: { js: SCRIPT_FOOT },
  })
  const find = (ending: string) => result.outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? ''
  const inputs = Object.keys(result.metafile.inputs).map((path) => join(root, path))
  const ofPage = inputs.some((path) => path.includes('/packages/page/')) ? (await buildPage()).inputs : []
  const text = `${find('.mjs')}${formatLicences([...inputs, ...carried.inputs, ...ofPage])}`
  await place(join(folder, SCRIPT), text, 0o755)
  await place(join(folder, `${SCRIPT}.map`), find('.map'))
  return text
}

const READS_MANIFEST = "readFileSync(new URL('../package.json', import.meta.url), 'utf8')"

/** An app reads its version from the manifest beside it, and waits at its top level: neither is possible in one script. */
function createEntryPlugin({ folder, version, description }: OwnWorker): Plugin {
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

/**
 * The source with its version in it, and with all that follows the imports in a function. Lines stay what they are.
 *
 * @throws Error for an entry without imports, or one that does not read its manifest
 */
export function toScriptEntry(source: string, manifest: object): string {
  const last = [...source.matchAll(/^import\b[^']*'[^']+'$/gm)].pop()
  if (last === undefined || !source.includes(READS_MANIFEST)) {
    throw new Error(`The entry of a worker imports something and has ${READS_MANIFEST}`)
  }
  const end = last.index + last[0].length
  const body = source.slice(end).replace(READS_MANIFEST, () => JSON.stringify(JSON.stringify(manifest)))
  return `${source.slice(0, end)};void (async () => {${body}\n})()\n`
}
