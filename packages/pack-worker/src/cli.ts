import { readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import process, { env } from 'node:process'
import { exitUnwritten, toReason } from '@iii/sdk/cli'
import { packArchives, SCRIPT } from './archives.ts'
import { type PackWords, parsePackCommand } from './command.ts'
import { place } from './place.ts'
import { readProject } from './project.ts'
import { buildScript } from './script.ts'

exitUnwritten('iii-pack-worker', process)

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
const command = parsePackCommand(process.argv.slice(2), version)
try {
  if (command.run === 'pack') await pack(process.cwd(), command.options)
  else if (command.run === 'print') process.stdout.write(command.text)
  else fail(command.text, 2)
} catch (error) {
  fail(`iii-pack-worker: ${toReason(error)}\n`, 1)
}

async function pack(folder: string, { main: said, out: named, ...rest }: PackWords): Promise<void> {
  const { worker, main } = readProject(folder, said)
  const script = await buildScript(folder, main)
  await place(resolve(folder, SCRIPT), script, 0o755)
  const out = resolve(folder, named)
  const files = await packArchives(worker, script, { out, ...rest, env })
  const shown = [SCRIPT, ...files.map((file) => relative(folder, join(out, file)))]
  process.stdout.write(`${shown.join('\n')}\n`)
}

function fail(text: string, code: number): void {
  process.stderr.write(text)
  process.exitCode = code
}
