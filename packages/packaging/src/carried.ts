import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { build, type Plugin } from 'esbuild'
import { ONE_SMALL_FILE } from './one-file.ts'

/** Packages as text, each one module, which a program has in itself for others to import. */
export interface Carried {
  readonly texts: Readonly<Record<string, string>>
  /** Absolute paths of what is in them. */
  readonly inputs: readonly string[]
}

/** @param folder of the app that has them installed */
export async function buildCarried(folder: string, names: readonly string[]): Promise<Carried> {
  const built = await Promise.all(names.map((name) => buildModule(folder, name, names)))
  return {
    texts: Object.fromEntries(built.map(({ name, text }) => [name, text])),
    inputs: built.flatMap(({ inputs }) => inputs),
  }
}

async function buildModule(folder: string, name: string, names: readonly string[]) {
  const others = names.filter((other) => other !== name)
  const { outputFiles, metafile } = await build({
    ...ONE_SMALL_FILE,
    entryPoints: [name],
    absWorkingDir: folder,
    format: 'esm',
    minifyIdentifiers: true,
    // What is no module asks for what Node has in itself.
    banner: { js: "import{createRequire as toRequire}from'node:module';const require=toRequire(import.meta.url);" },
    plugins: [...ONE_SMALL_FILE.plugins, createSharing(others)],
  })
  const inputs = Object.keys(metafile.inputs).map((path) => join(folder, path))
  return { name, text: outputFiles[0]?.text ?? '', inputs }
}

/** Packages that lie beside each other import each other: a schema is one to all of them. */
function createSharing(names: readonly string[]): Plugin {
  return {
    name: 'sharing',
    setup: ({ onResolve }) =>
      onResolve({ filter: /^[@a-z]/ }, ({ path }) => (names.includes(path) ? { path, external: true } : undefined)),
  }
}

const HOLDER = /[\\/]carried-packages\.ts$/
const EMPTY = 'readCarriedPackages = (): Readonly<Record<string, string>> => ({})'

/** Puts them where the sources of a program have none. They are packed, since a start reads all of the file, and most starts need none of them. */
export function createCarriedPlugin(texts: Carried['texts']): Plugin {
  return {
    name: 'carried-packages',
    setup: ({ onLoad }) =>
      onLoad({ filter: HOLDER }, async ({ path }) => {
        const source = await readFile(path, 'utf8')
        if (!source.includes(EMPTY)) throw new Error(`${path} says: ${EMPTY}`)
        const packed = brotliCompressSync(JSON.stringify(texts)).toString('base64')
        const filled = `readCarriedPackages = () => JSON.parse(unpack(Buffer.from('${packed}', 'base64')).toString())`
        const contents = `import { brotliDecompressSync as unpack } from 'node:zlib'\n${source.replace(EMPTY, () => filled)}`
        return { contents, loader: 'ts' }
      }),
  }
}
