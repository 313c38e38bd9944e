import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import process, { env } from 'node:process'
import { fileURLToPath } from 'node:url'
import { exitUnwritten } from '@iii/sdk/cli'
import { type CreateCommand, parseCreateCommand } from './command.ts'
import { explainKeptByNpm } from './kept-by-npm.ts'
import { formatNextSteps, toPackageManager } from './next-steps.ts'
import { readTemplate, writeProject } from './project.ts'

process.stdout.on('error', (error) => exitUnwritten('create-iii-worker', error, process))

const TEMPLATE = fileURLToPath(new URL('../template/', import.meta.url))

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
const argv = process.argv.slice(2)
const command = parseCreateCommand(argv, process.cwd(), version)
const kept = explainKeptByNpm(argv, env)

if (kept !== undefined && command.run !== 'print') fail(`create-iii-worker: ${kept}\n`, 2)
else if (command.run === 'create') await create(command)
else if (command.run === 'print') process.stdout.write(command.text)
else fail(command.text, 2)

async function create({ folder, name, language }: Extract<CreateCommand, { run: 'create' }>): Promise<void> {
  try {
    await writeProject(folder, readTemplate(TEMPLATE, name, language))
    const manager = toPackageManager(env['npm_config_user_agent'])
    process.stdout.write(formatNextSteps(name, relative(process.cwd(), folder), manager))
  } catch (error) {
    fail(`create-iii-worker: ${error instanceof Error ? error.message : String(error)}\n`, 1)
  }
}

function fail(text: string, code: number): void {
  process.stderr.write(text)
  process.exitCode = code
}
