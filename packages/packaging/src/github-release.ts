/** `pnpm release:github`: a release with tag, notes and archives for each published version that has none yet. Needs `gh`. */
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { publishRelease } from './publish-release.ts'
import { planReleases } from './releases.ts'
import { ROOT } from './workers.ts'

const HELP = `Usage: pnpm release:github [--archives DIR] [--print]

  --archives DIR  where \`pnpm pack:workers\` put its files (archives/)
  --print         says what would be released, as JSON, and asks nobody
`

try {
  const { values } = parseArgs({
    args: process.argv.slice(2).filter((word) => word !== '--'),
    options: { archives: { type: 'string' }, print: { type: 'boolean' }, help: { type: 'boolean' } },
  })
  if (values.help) process.stdout.write(HELP)
  else release(values.archives ?? fileURLToPath(new URL('archives/', ROOT)), values.print === true)
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}

function release(archives: string, print: boolean): void {
  const releases = planReleases(archives)
  if (print) process.stdout.write(`${JSON.stringify(releases, null, 2)}\n`)
  else for (const one of releases) publishRelease(one)
}
