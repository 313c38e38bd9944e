import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { formatLicences } from '@iii/pack-worker'
import { build } from 'esbuild'
import { layOutPackage, type Manifest, readManifestFile, writeManifestFile } from './npm-package.ts'
import { ONE_SMALL_FILE } from './one-file.ts'
import { ROOT } from './workers.ts'

/** Where `npm create iii-worker` lies. */
export const GENERATOR = fileURLToPath(new URL('packages/create-worker', ROOT))

const LANGUAGES = ['typescript', 'javascript']

/**
 * Lays out what npm gets of `npm create iii-worker`: its program as one file, and templates that name the versions which they were tested
 * with. @param out folder for that; what was in it is gone
 */
export async function buildGenerator(out: string): Promise<void> {
  await layOutPackage(GENERATOR, ['bin', 'template'], await buildProgram(), out)
  for (const language of LANGUAGES) {
    const file = join(out, 'template', language, 'package.json')
    await writeManifestFile(file, await withVersions(await readManifestFile(file)))
  }
}

async function buildProgram(): Promise<string> {
  const { outputFiles, metafile } = await build({
    ...ONE_SMALL_FILE,
    entryPoints: ['src/main.ts'],
    absWorkingDir: GENERATOR,
    format: 'esm',
  })
  const inputs = Object.keys(metafile.inputs).map((path) => join(GENERATOR, path))
  return `${outputFiles[0]?.text ?? ''}${formatLicences(inputs)}`
}

/** Those that are installed here. */
async function withVersions(manifest: Manifest): Promise<Manifest> {
  const changed: Manifest = { ...manifest }
  for (const field of ['dependencies', 'devDependencies']) {
    const names = Object.keys((manifest[field] ?? {}) as object)
    const ranges = names.map(async (name) => {
      const { version } = await readManifestFile(join(GENERATOR, 'node_modules', name, 'package.json'))
      return [name, `^${version}`]
    })
    changed[field] = Object.fromEntries(await Promise.all(ranges))
  }
  return changed
}
