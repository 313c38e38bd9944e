import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { relative } from 'node:path'
import process from 'node:process'
import { fileURLToPath, pathToFileURL } from 'node:url'

/**
 * How a TypeScript source of this repository runs: as the one file that was made of it for a run (`bundle.ts`), or else from
 * source. A start from source reads some hundred modules one by one, which costs a second of a processor each time.
 */

/** Names the folder of those files to the processes of a test run, or of `pnpm start`; they are there as long as the run. */
export const BUILT_PROGRAMS = 'BUILT_PROGRAMS'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href

/** What makes a Node run TypeScript sources of this repository without a build. */
const RUN_SOURCE: readonly string[] = ['--conditions=@iii/source', '--import', tsx]

/** Where a source has its one file within the folder of a run. */
export function toBuiltPath(source: string): string {
  return relative(ROOT, source).replace(/\.ts$/, '.mjs')
}

export interface SourceOptions {
  /** A source that is loaded before it. */
  readonly preload?: URL
  /** It starts sources itself, with the flags that it was started with. */
  readonly runsSources?: boolean | undefined
  /** Whether to run the source itself, though there is a file that a test run made of it. */
  readonly fromSource?: boolean | undefined
}

/** The arguments of a Node that runs a source of this repository. */
export function toNodeArgs(entry: URL, { preload, runsSources, fromSource }: SourceOptions = {}): string[] {
  const built = fromSource ? undefined : findBuilt(entry)
  const first = preload && (built ? findBuilt(preload) : preload)
  return [
    ...(runsSources || built === undefined ? RUN_SOURCE : []),
    ...(built === undefined ? [] : ['--enable-source-maps']),
    ...(first === undefined ? [] : ['--import', first.href]),
    fileURLToPath(built ?? entry),
  ]
}

function findBuilt(source: URL): URL | undefined {
  const folder = process.env[BUILT_PROGRAMS]
  // Another clone of this repository, which a test started, has programs of its own.
  if (!folder?.startsWith(ROOT)) return undefined
  const built = new URL(toBuiltPath(fileURLToPath(source)), pathToFileURL(`${folder}/`))
  return existsSync(built) ? built : undefined
}
