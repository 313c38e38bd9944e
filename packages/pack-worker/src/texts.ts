import { readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Plugin } from 'esbuild'

const READS_FILE = /\breadFileSync\(\s*new URL\((['"])([^'"]+)\1,\s*import\.meta\.url\),\s*(['"])utf-?8\3,?\s*\)/g

/** A source that reads a file beside it has its text instead. @param folder of the sources; what is installed there is left alone */
export function createTextPlugin(folder: string): Plugin {
  return {
    name: 'texts',
    setup: ({ onLoad }) =>
      onLoad({ filter: /\.[cm]?[jt]s$/ }, async ({ path }) => {
        if (!path.startsWith(resolve(folder)) || /[\\/]node_modules[\\/]/.test(path)) return undefined
        const source = await readFile(path, 'utf8')
        const files = [...source.matchAll(READS_FILE)].map((call) => call[2] ?? '')
        const texts = await Promise.all(files.map((file) => readFile(join(dirname(path), file), 'utf8')))
        const contents = source.replace(READS_FILE, () => JSON.stringify(texts.shift()))
        return { contents, loader: /\.[cm]?ts$/.test(path) ? 'ts' : 'js' }
      }),
  }
}
