import { formatIssues } from '@iii/sdk'
import { stringify } from 'yaml'
import { z } from 'zod'

/**
 * `iii.worker.yaml`, as strictly as `iii worker add` reads it: one key that it does not know stops it. What it still
 * takes but calls deprecated (`language`, `entry`, `config`, `runtime.kind`) is refused here.
 */
const workerManifest = z.strictObject({
  iii: z.literal('v1').optional(),
  name: z.string().regex(/^[a-z0-9][a-z0-9_-]*$/, 'has to be a name that the registry takes'),
  description: z.string().regex(/^[^\n]+$/, 'has to be one line'),
  deploy: z.enum(['bundle', 'binary', 'image']).optional(),
  tags: z.array(z.string()).min(1).optional(),
  runtime: z.strictObject({ base_image: z.string() }).optional(),
  /** Without `install` every start warns; `''` says that there is nothing to install. `setup` is refused in a bundle. */
  scripts: z.strictObject({ install: z.string(), start: z.string().min(1) }),
  env: z.record(z.string(), z.string()).optional(),
  dependencies: z.record(z.string(), z.string()).optional(),
  /** Memory in MiB; a bundle gets no more than this. */
  resources: z
    .strictObject({ cpus: z.number().int().min(1).max(4), memory: z.number().int().min(64).max(4096) })
    .optional(),
})

export type WorkerManifest = z.infer<typeof workerManifest>

/** A worker, as its sources describe it. */
export interface PackedWorker {
  /** What the engine calls it. */
  readonly name: string
  readonly version: string
  readonly license: string | undefined
  /** Address that people can open. */
  readonly repository: string | undefined
  /** Markdown, for the page of a registry. */
  readonly readme: string
  /** As it lies beside the sources, for `iii worker add ./PATH`. */
  readonly manifest: WorkerManifest
  /** Other workers that a registry installs first: name → range. */
  readonly needs: Readonly<Record<string, string>>
}

/** The largest manifest that is read, in bytes. */
const MAX_MANIFEST = 64 * 1024

/** @throws Error that names each wrong key */
export function requireWorkerManifest(value: unknown): WorkerManifest {
  const parsed = workerManifest.safeParse(value)
  if (parsed.success) return parsed.data
  throw new Error(
    `iii.worker.yaml is not as the engine reads it: ${formatIssues(parsed.error.issues, 'iii.worker.yaml')}`,
  )
}

/** The manifest in an archive: the local one, and the workers that the registry installs first. */
export function formatPublishedManifest(local: WorkerManifest, needs: Readonly<Record<string, string>>): string {
  const dependencies = Object.keys(needs).length === 0 ? {} : { dependencies: { ...needs } }
  const text = stringify(requireWorkerManifest({ ...local, ...dependencies }), { lineWidth: 0 })
  if (Buffer.byteLength(text) > MAX_MANIFEST) throw new Error(`iii.worker.yaml is larger than ${MAX_MANIFEST} bytes`)
  return text
}
