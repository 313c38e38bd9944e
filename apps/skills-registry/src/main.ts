import { readFileSync } from 'node:fs'
import { runWorker } from '@iii/sdk'
import { formatCommands, isCommand, runCommand } from './cli/index.ts'
import { findConflict, options } from './options.ts'
import { MAX_MESSAGE_BYTES, serveRegistry } from './worker.ts'

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string
  description: string
}

const { version, description } = manifest
const argv = process.argv.slice(2)

if (isCommand(argv)) {
  // Whoever reads may have seen enough: `iii-skills list | head`.
  process.stdout.on('error', () => process.exit())
  process.exitCode = await runCommand({ argv, env: process.env, version, streams: process })
} else {
  await runWorker({
    name: 'skills',
    command: 'iii-skills',
    version,
    description,
    footnote: formatCommands(),
    argv,
    env: process.env,
    options,
    findConflict,
    worker: { maxMessageBytes: MAX_MESSAGE_BYTES },
    serve: async (worker, settings, log) => serveRegistry(worker, settings, log),
  })
}
