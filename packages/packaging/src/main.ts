/** `pnpm pack:workers`: the workers as archives for `iii worker add`, and what the registry is told of them. */
import { resolve } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { packArchives } from '@iii/pack-worker'
import { writeScript } from './script.ts'
import { type OwnWorker, ROOT, readWorkers } from './workers.ts'

const HELP = `Usage: pnpm pack:workers [--out DIR] [--base-url URL]

  --out DIR       where the archives, their checksums and the payloads go (archives/)
  --base-url URL  where the archives will be downloaded from (the GitHub release of each version)
`

try {
  const { values } = parseArgs({
    args: process.argv.slice(2).filter((word) => word !== '--'),
    options: { out: { type: 'string' }, 'base-url': { type: 'string' }, help: { type: 'boolean' } },
  })
  if (values.help) process.stdout.write(HELP)
  else await packAll(resolve(values.out ?? fileURLToPath(new URL('archives', ROOT))), values['base-url'])
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}

async function packAll(out: string, baseUrl: string | undefined): Promise<void> {
  for (const worker of readWorkers()) {
    const script = await writeScript(worker)
    const files = await packArchives(worker, script, {
      out,
      baseUrl: baseUrl ?? toReleaseUrl(worker),
      env: process.env,
    })
    process.stdout.write(`${files.map((file) => `${out}/${file}`).join('\n')}\n`)
  }
}

function toReleaseUrl({ repository, packageName, version }: OwnWorker): string {
  return `${repository}/releases/download/${encodeURIComponent(`${packageName}@${version}`)}`
}
