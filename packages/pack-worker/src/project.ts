import { existsSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { formatIssues } from '@iii/sdk'
import { describeSystemError } from '@iii/sdk/cli'
import { parse } from 'yaml'
import { z } from 'zod'
import { SCRIPT } from './archives.ts'
import { type PackedWorker, requireWorkerManifest } from './worker-manifest.ts'

/** What is read of the `package.json` of a project. */
const Manifest = z.object({
  version: z.string().regex(/^\d+\.\d+\.\d+/, 'has to be a version such as 0.1.0'),
  license: z.string().optional(),
  repository: z.union([z.string(), z.object({ url: z.string() })]).optional(),
})

const MAINS = ['src/main.ts', 'src/main.js', 'src/main.mjs']

/** A project of its own, with one worker in it. */
export interface Project {
  readonly worker: PackedWorker
  /** Path of the source that starts it. */
  readonly main: string
}

/**
 * Reads `package.json`, `iii.worker.yaml` and `README.md` of a project.
 *
 * @param folder absolute path
 * @param main path of the source that starts it @default src/main.ts, or src/main.js where that is
 * @throws Error that says which file lacks what
 */
export function readProject(folder: string, main?: string): Project {
  const { version, license, repository } = readManifest(folder)
  const manifest = requireWorkerManifest(readData(folder, 'iii.worker.yaml', parse))
  // Nothing else of the project is in the archives. A start may also go into the folder first.
  if (!SCRIPT.split('/').every((part) => manifest.scripts.start.includes(part)))
    throw new Error(`iii.worker.yaml: scripts.start has to start ${SCRIPT}, for example: exec node ${SCRIPT}`)
  const readme = existsSync(join(folder, 'README.md')) ? readFileSync(join(folder, 'README.md'), 'utf8') : ''
  const url = typeof repository === 'string' ? repository : repository?.url
  const { dependencies: needs = {}, name, ...rest } = manifest
  const page = url?.replace(/^git\+|\.git$/g, '')
  return {
    worker: { name, version, license, repository: page, readme, manifest: { name, ...rest }, needs },
    main: findMain(folder, main),
  }
}

function readManifest(folder: string): z.infer<typeof Manifest> {
  const parsed = Manifest.safeParse(readData(folder, 'package.json', JSON.parse))
  if (parsed.success) return parsed.data
  throw new Error(`package.json: ${formatIssues(parsed.error.issues)}`)
}

function readData(folder: string, file: string, toData: (text: string) => unknown): unknown {
  const path = join(folder, file)
  if (!existsSync(path)) {
    throw new Error(
      `There is no ${file} in ${folder}: go to the folder of a worker, or make one with npm create iii-worker`,
    )
  }
  try {
    return toData(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new Error(`${file}: ${describeSystemError(error) ?? (error as Error).message}`)
  }
}

function findMain(folder: string, main: string | undefined): string {
  const candidates = main === undefined ? MAINS : [main]
  const found = candidates.find((file) => statSync(resolve(folder, file), { throwIfNoEntry: false })?.isFile())
  if (found !== undefined) return found
  throw new Error(
    `There is no file ${candidates[0]} in ${folder}: name the source that starts the worker with --main FILE`,
  )
}
