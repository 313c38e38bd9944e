import { readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import process, { env } from 'node:process'
import { parseArgs } from 'node:util'
import { exitUnwritten, explainNoFolder } from '@iii/sdk/cli'
import { packArchives, SCRIPT } from './archives.ts'
import { place } from './place.ts'
import { readProject } from './project.ts'
import { buildScript } from './script.ts'

const HELP = `iii-pack-worker: makes archives for the engine of the worker in this folder

  --main FILE      the source that starts it (default src/main.ts, or src/main.js)
  --out DIR        where the archives go (default archives)
  --no-start       leave out that it is started on an embedded engine, and has to get ready
  --base-url URL   where the archives will be downloaded from: writes what a worker registry is told, too
  --help           print this
  --version        print the version

Its ${SCRIPT} is what iii.worker.yaml starts: one file, with all that the worker needs.
`

const OPTIONS = {
  main: { type: 'string' },
  out: { type: 'string', default: 'archives' },
  'no-start': { type: 'boolean', default: false },
  'base-url': { type: 'string' },
  help: { type: 'boolean' },
  version: { type: 'boolean' },
} as const

exitUnwritten('iii-pack-worker', process)
try {
  const { values } = parseArgs({ options: OPTIONS })
  if (values.help) process.stdout.write(HELP)
  else if (values.version) process.stdout.write(`${readVersion()}\n`)
  else await pack(process.cwd(), values)
} catch (error) {
  const isUsage = error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
  const text = explainNoFolder(error) ?? (error instanceof Error ? error.message : String(error))
  process.stderr.write(`iii-pack-worker: ${text}${isUsage ? '\n--help lists what can be set' : ''}\n`)
  process.exitCode = isUsage ? 2 : 1
}

async function pack(
  folder: string,
  options: { main?: string; out: string; 'no-start': boolean; 'base-url'?: string },
): Promise<void> {
  const { worker, main } = readProject(folder, options.main)
  const script = await buildScript(folder, main)
  await place(resolve(folder, SCRIPT), script, 0o755)
  const out = resolve(folder, options.out)
  const started = { isStarted: !options['no-start'], baseUrl: options['base-url'], env }
  const files = await packArchives(worker, script, { out, ...started })
  const shown = [SCRIPT, ...files.map((file) => relative(folder, join(out, file)))]
  process.stdout.write(`${shown.join('\n')}\n`)
}

function readVersion(): string {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
  return manifest.version
}
