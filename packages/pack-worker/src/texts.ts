import { readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { PartialMessage, Plugin } from 'esbuild'

const READS_TEXT = /\breadFileSync\(\s*new URL\((['"])([^'"]+)\1,\s*import\.meta\.url\),\s*(['"])utf-?8\3,?\s*\)/g
/** However it does so, but for what a comment says. */
const READS_BESIDE = /^(?!\s*(?:\/\/|\/?\*)).*\breadFile(?:Sync)?\(\s*new URL\(.*,\s*import\.meta\.url\s*\)/gm

export const HOW_TO_READ =
  "a file is packed when a source reads it in just this way: readFileSync(new URL('../a.md', import.meta.url), 'utf8')"

/** A source that reads a file beside it has its text instead. @param folder of the sources; what is installed there is left alone */
export function createTextPlugin(folder: string): Plugin {
  return {
    name: 'texts',
    setup: ({ onLoad }) =>
      onLoad({ filter: /\.[cm]?[jt]s$/ }, async ({ path }) => {
        if (!path.startsWith(resolve(folder)) || /[\\/]node_modules[\\/]/.test(path)) return undefined
        const source = await readFile(path, 'utf8')
        const errors = findOtherReads(path, source)
        if (errors.length > 0) return { errors }
        const files = [...source.matchAll(READS_TEXT)].map((call) => call[2] ?? '')
        const texts = await Promise.all(files.map((file) => readFile(join(dirname(path), file), 'utf8')))
        const contents = source.replace(READS_TEXT, () => JSON.stringify(texts.shift()))
        return { contents, loader: /\.[cm]?ts$/.test(path) ? 'ts' : 'js' }
      }),
  }
}

/** Those that would find nothing where the worker is one file: perhaps only later, when somebody calls the function that reads. */
function findOtherReads(file: string, source: string): PartialMessage[] {
  const others = source.replace(READS_TEXT, (call) => call.replace(/./g, ' '))
  return [...others.matchAll(READS_BESIDE)].map(({ index }) => ({
    text: `What is read here would not be found; ${HOW_TO_READ}`,
    location: { file, line: others.slice(0, index).split('\n').length },
  }))
}
