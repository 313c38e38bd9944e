import { builtinModules } from 'node:module'
import type { BuildOptions, Message, Plugin } from 'esbuild'
import { formatLicences } from './licences.ts'
import { SCRIPT_FOOT, SCRIPT_HEAD, SELF_STARTING } from './self-starting.ts'
import { createTextPlugin } from './texts.ts'

/** Within a function nothing can be imported: what Node has in itself is asked for with `require`. */
const builtIns: Plugin = {
  name: 'built-ins',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: new RegExp(`^(?:node:.*|${builtinModules.join('|')})$`) }, ({ path, kind }) =>
      kind === 'import-statement' ? { path, namespace: 'built-in', sideEffects: false } : undefined,
    )
    onLoad({ filter: /./, namespace: 'built-in' }, ({ path }) => ({ contents: `module.exports = require('${path}')` }))
  },
}

/** The last lines say what the source that starts it exports, for which nobody asks. */
const EXPORTS = /(?<=^|\n)export \{[^}]*\};\n$/

/** How sources and what they need become one file. */
export const ONE_FILE = {
  bundle: true,
  write: false,
  metafile: true,
  platform: 'node',
  target: 'node20.19',
  // What is written for loaders of modules that tell their files apart when they run cannot be put into one.
  mainFields: ['module', 'main'],
  legalComments: 'none',
  // The faster parts of `ws` are native code, which one file cannot hold.
  define: { 'process.env.WS_NO_BUFFER_UTIL': '"1"', 'process.env.WS_NO_UTF_8_VALIDATE': '"1"' },
} as const satisfies BuildOptions

/**
 * Puts a worker and all that it needs into one file, with the licences of others at its end.
 *
 * @param folder absolute path of the project
 * @param main path of its source in it: `src/main.ts`
 * @throws Error that says in which source something cannot be packed
 */
export async function buildScript(folder: string, main: string): Promise<string> {
  // Loaded where the folder is gone it ends the program, before anybody can say so.
  const { build } = await import('esbuild')
  const result = await build({
    ...ONE_FILE,
    entryPoints: [main],
    absWorkingDir: folder,
    format: 'esm',
    logLevel: 'silent',
    define: { ...ONE_FILE.define, 'import.meta': 'importMetaOfScript' },
    plugins: [builtIns, createTextPlugin(folder)],
  }).catch((error: Error & { errors?: readonly Message[] }) => {
    throw new Error(error.errors?.map(explain).join('\n') ?? error.message)
  })
  const text = (result.outputFiles[0]?.text ?? '').replace(/^#!.*\n/, '').replace(EXPORTS, '')
  const inputs = Object.keys(result.metafile.inputs).map((path) => `${folder}/${path}`)
  return `${SELF_STARTING}${SCRIPT_HEAD}${text}${SCRIPT_FOOT}${formatLicences(inputs)}`
}

function explain({ text, location }: Message): string {
  const where = location === null ? '' : `${location.file}:${location.line}: `
  const why = /\.node\b/.test(text) ? `: a package with native code cannot be packed into one file` : ''
  return `${where}${text}${why}`
}
