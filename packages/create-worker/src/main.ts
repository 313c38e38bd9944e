import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import process, { env } from 'node:process'
import { fileURLToPath } from 'node:url'
import { exitUnwritten, toReason } from '@iii/sdk/cli'
import { type CreateCommand, parseCreateCommand } from './command.ts'
import { explainKeptByNpm } from './kept-by-npm.ts'
import { formatNextSteps, toPackageManager } from './next-steps.ts'
import { readTemplate, writeProject } from './project.ts'

exitUnwritten('create-iii-worker', process)

const TEMPLATE = fileURLToPath(new URL('../template/', import.meta.url))

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
const argv = process.argv.slice(2)
try {
  await run(parseCreateCommand(argv, version))
} catch (error) {
  fail(`create-iii-worker: ${toReason(error)}\n`, 1)
}

async function run(command: CreateCommand): Promise<void> {
  const kept = explainKeptByNpm(argv, env)
  if (kept !== undefined && command.run !== 'print') fail(`create-iii-worker: ${kept}\n`, 2)
  else if (command.run === 'create') await create(command)
  else if (command.run === 'print') process.stdout.write(command.text)
  else fail(command.text, 2)
}

async function create({ folder, name, language }: Extract<CreateCommand, { run: 'create' }>): Promise<void> {
  await writeProject(folder, readTemplate(TEMPLATE, name, language))
  const manager = toPackageManager(env['npm_config_user_agent'])
  process.stdout.write(formatNextSteps(name, toWayThere(folder), manager))
}

/** Where there is no folder to go from, the whole path leads there. */
function toWayThere(folder: string): string {
  try {
    return relative('', folder)
  } catch {
    return folder
  }
}

function fail(text: string, code: number): void {
  process.stderr.write(text)
  process.exitCode = code
}
