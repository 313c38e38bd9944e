import { cp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { place, SCRIPT } from '@iii/pack-worker'

export type Manifest = Record<string, unknown>

/**
 * Lays out what npm gets of a package that has in itself what it depends on: its program as one file, and what lies beside.
 *
 * @param parts folders of the package, beside its README and licence
 * @param out folder for that; what was in it is gone
 */
export async function layOutPackage(
  folder: string,
  parts: readonly string[],
  program: string,
  out: string,
): Promise<void> {
  await rm(out, { recursive: true, force: true })
  for (const name of ['README.md', 'LICENSE', ...parts]) {
    await cp(join(folder, name), join(out, name), { recursive: true })
  }
  await place(join(out, SCRIPT), program, 0o755)
  const manifest = await readManifestFile(join(folder, 'package.json'))
  await writeManifestFile(join(out, 'package.json'), toPublishedManifest(manifest, [...parts, 'bundle']))
}

/** What only a checkout needs. */
const OF_CHECKOUT = ['scripts', 'dependencies', 'devDependencies']

/** The manifest of a package that has in itself what its app depends on. */
export function toPublishedManifest(manifest: Readonly<Manifest>, files: readonly string[]): Manifest {
  const kept = Object.entries(manifest).filter(([key]) => !OF_CHECKOUT.includes(key))
  return { ...Object.fromEntries(kept), files, publishConfig: { access: 'public' } }
}

export async function readManifestFile(file: string): Promise<Manifest> {
  return JSON.parse(await readFile(file, 'utf8')) as Manifest
}

export async function writeManifestFile(file: string, value: Manifest): Promise<void> {
  await writeFile(file, `${JSON.stringify(value, null, 2)}\n`)
}
