import { cp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { formatLicences, place, SCRIPT } from '@iii/pack-worker'
import { build } from 'esbuild'
import { toPublishedManifest } from './npm-package.ts'
import { ONE_FILE } from './one-file.ts'
import { ROOT } from './workers.ts'

/** Where `npm create iii-worker` lies. */
export const GENERATOR = fileURLToPath(new URL('packages/create-worker', ROOT))

const LANGUAGES = ['typescript', 'javascript']

/**
 * Lays out what npm gets of `npm create iii-worker`: its program as one file, and templates that name the versions which they were tested
 * with. @param out folder for that; what was in it is gone
 */
export async function buildGenerator(out: string): Promise<void> {
  await rm(out, { recursive: true, force: true })
  for (const name of ['README.md', 'LICENSE', 'bin', 'template']) {
    await cp(join(GENERATOR, name), join(out, name), { recursive: true })
  }
  await place(join(out, SCRIPT), await buildProgram())
  for (const language of LANGUAGES) {
    const file = join(out, 'template', language, 'package.json')
    await writeJson(file, await withVersions(await readJson(file)))
  }
  const manifest = await readJson(join(GENERATOR, 'package.json'))
  await writeJson(join(out, 'package.json'), toPublishedManifest(manifest, ['bin', 'bundle', 'template']))
}

async function buildProgram(): Promise<string> {
  const { outputFiles, metafile } = await build({
    ...ONE_FILE,
    entryPoints: ['src/main.ts'],
    absWorkingDir: GENERATOR,
    format: 'esm',
  })
  const inputs = Object.keys(metafile.inputs).map((path) => join(GENERATOR, path))
  return `${outputFiles[0]?.text ?? ''}${formatLicences(inputs)}`
}

type Manifest = Record<string, unknown>

/** Those that are installed here. */
async function withVersions(manifest: Manifest): Promise<Manifest> {
  const changed: Manifest = { ...manifest }
  for (const field of ['dependencies', 'devDependencies']) {
    const names = Object.keys((manifest[field] ?? {}) as object)
    const ranges = names.map(async (name) => {
      const { version } = await readJson(join(GENERATOR, 'node_modules', name, 'package.json'))
      return [name, `^${version}`]
    })
    changed[field] = Object.fromEntries(await Promise.all(ranges))
  }
  return changed
}

async function readJson(file: string): Promise<Manifest> {
  return JSON.parse(await readFile(file, 'utf8')) as Manifest
}

async function writeJson(file: string, value: Manifest): Promise<void> {
  await writeFile(file, `${JSON.stringify(value, null, 2)}\n`)
}
