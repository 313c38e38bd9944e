import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readInterface } from './interface.ts'
import { type PublishedArchive, toPayload } from './payload.ts'
import { place } from './place.ts'
import { SCRIPT, writeScript } from './script.ts'
import { packArchive } from './tar.ts'
import { formatPublishedManifest } from './worker-manifest.ts'
import type { PackedWorker } from './workers.ts'

export interface PackOptions {
  /** Folder of the archives and payloads. */
  out: string
  /** Where the archives will be downloaded from. @default the GitHub release of the worker's version */
  baseUrl?: string | undefined
  env: Readonly<Record<string, string | undefined>>
}

/**
 * Builds the script of a worker beside its manifest, both archives of it, their checksums, and what the registry is told
 * of each. Returns the files in `out`.
 *
 * @throws when the registry or `iii worker add` would refuse something
 */
export async function packWorker(worker: PackedWorker, { out, baseUrl, env }: PackOptions): Promise<string[]> {
  const { name, version, manifest, needs } = worker
  const text = await writeScript(worker)
  const bundle = packArchive([
    { path: 'iii.worker.yaml', text: formatPublishedManifest(manifest, needs) },
    { path: SCRIPT, text, executable: true },
  ])
  const binary = packArchive([{ path: name, text, executable: true }])
  const { offered, targets } = await inspect(name, text, env)

  const base = baseUrl ?? toReleaseUrl(worker)
  const files: string[] = []
  const save = async (file: string, content: string | Buffer) => {
    await place(join(out, file), content)
    files.push(file)
  }
  for (const [type, archive] of [
    ['bundle', bundle],
    ['binary', binary],
  ] as const) {
    const file = `${name}-${version}-${type}.tar.gz`
    const sha256 = createHash('sha256').update(archive).digest('hex')
    const published: PublishedArchive = { url: `${base}/${file}`, sha256 }
    const payload = toPayload(
      worker,
      offered,
      type === 'bundle' ? { type, archive: published } : { type, archive: published, targets },
    )
    await save(file, archive)
    await save(`${file}.sha256`, `${sha256}  ${file}\n`)
    await save(`${name}-${version}-${type}.json`, `${JSON.stringify(payload, null, 2)}\n`)
  }
  return files
}

function toReleaseUrl({ repository, packageName, version }: PackedWorker): string {
  return `${repository}/releases/download/${encodeURIComponent(`${packageName}@${version}`)}`
}

/** Runs the script where nothing of the workspace can be found. */
async function inspect(name: string, text: string, env: PackOptions['env']) {
  const folder = await mkdtemp(join(tmpdir(), 'iii-packaging-'))
  try {
    const script = join(folder, name)
    await writeFile(script, text)
    const printed = execFileSync(process.execPath, [script, '--manifest'], { encoding: 'utf8', env })
    const { supported_targets: targets } = JSON.parse(printed) as { supported_targets: string[] }
    return { offered: await readInterface(name, script, env), targets }
  } finally {
    await rm(folder, { recursive: true })
  }
}
