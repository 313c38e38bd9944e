import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Environment, type ProgramInspection, readProgram } from './inspection.ts'
import { type PublishedArchive, toArchiveUrl, toPublishPayload } from './payload.ts'
import { place } from './place.ts'
import { packTarGz } from './tar-gz.ts'
import { formatPublishedManifest, type PackedWorker } from './worker-manifest.ts'

export interface PackOptions {
  /** Folder of the archives. */
  out: string
  /** Where the archives will be downloaded from; without it nothing is written for a registry. */
  baseUrl?: string | undefined
  /** Whether the script is started on an embedded engine first. What a registry is told needs that. @default true */
  isStarted?: boolean
  env: Environment
}

/** Where the script of a worker lies in its folder, beside the manifest whose start script runs it. */
export const SCRIPT = 'bundle/index.mjs'

/**
 * Makes both archives of a worker, their checksums, and what a registry is told of each. Returns the files in `out`.
 *
 * @param script all of the worker
 * @throws when a registry or `iii worker add` would refuse something, or the script does not get ready
 */
export async function packArchives(worker: PackedWorker, script: string, options: PackOptions): Promise<string[]> {
  const { name, version, manifest, needs } = worker
  const { out, baseUrl, isStarted = true, env } = options
  const isInspected = isStarted || baseUrl !== undefined
  const inspection = isInspected ? await inspect(name, script, env) : undefined
  const archives = {
    bundle: packTarGz([
      { path: 'iii.worker.yaml', text: formatPublishedManifest(manifest, needs) },
      { path: SCRIPT, text: script, executable: true },
    ]),
    binary: packTarGz([{ path: name, text: script, executable: true }]),
  }
  const files: string[] = []
  for (const type of ['bundle', 'binary'] as const) {
    const file = `${name}-${version}-${type}.tar.gz`
    const sha256 = createHash('sha256').update(archives[type]).digest('hex')
    const texts = new Map<string, string | Buffer>([
      [file, archives[type]],
      [`${file}.sha256`, `${sha256}  ${file}\n`],
    ])
    if (baseUrl !== undefined && inspection !== undefined) {
      const payload = formatPayload(worker, inspection, type, { url: toArchiveUrl(baseUrl, file), sha256 })
      texts.set(`${name}-${version}-${type}.json`, payload)
    }
    for (const [path, text] of texts) await place(join(out, path), text)
    files.push(...texts.keys())
  }
  return files
}

function formatPayload(
  worker: PackedWorker,
  { offered, targets }: ProgramInspection,
  type: 'bundle' | 'binary',
  archive: PublishedArchive,
): string {
  const payload = toPublishPayload(worker, offered, type === 'bundle' ? { type, archive } : { type, archive, targets })
  return `${JSON.stringify(payload, null, 2)}\n`
}

/** Runs the script where nothing of its project can be found, below such a manifest as `npm init` leaves in a home folder. */
async function inspect(name: string, text: string, env: Environment): Promise<ProgramInspection> {
  const folder = await mkdtemp(join(tmpdir(), 'iii-pack-worker-'))
  try {
    const script = join(folder, name)
    await writeFile(script, text)
    await writeFile(join(folder, 'package.json'), '{ "type": "commonjs" }')
    return await readProgram(name, script, env)
  } finally {
    await rm(folder, { recursive: true })
  }
}
