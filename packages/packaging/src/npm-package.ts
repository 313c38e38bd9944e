import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { SCRIPT } from '@iii/pack-worker'
import { writeScript } from './script.ts'
import type { OwnWorker } from './workers.ts'

/**
 * Builds the program of an app beside its manifest, and lays out what npm gets of the app: the program, what starts it, and nothing to be
 * installed with it. @param out folder for that; what was in it is gone
 */
export async function buildPackage(worker: OwnWorker, out: string): Promise<void> {
  const { folder } = worker
  const text = await writeScript(worker)
  await rm(out, { recursive: true, force: true })
  for (const name of ['README.md', 'LICENSE', 'bin']) await cp(join(folder, name), join(out, name), { recursive: true })
  await mkdir(dirname(join(out, SCRIPT)), { recursive: true })
  await writeFile(join(out, SCRIPT), text, { mode: 0o755 })
  const own = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  const manifest = toPublishedManifest(own, ['bin', 'bundle'])
  await writeFile(join(out, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}

/** What only a checkout needs. */
const OF_CHECKOUT = ['scripts', 'dependencies', 'devDependencies']

/** The manifest of a package that has in itself what its app depends on. */
export function toPublishedManifest(
  manifest: Readonly<Record<string, unknown>>,
  files: readonly string[],
): Record<string, unknown> {
  const kept = Object.entries(manifest).filter(([key]) => !OF_CHECKOUT.includes(key))
  return { ...Object.fromEntries(kept), files, publishConfig: { access: 'public' } }
}
