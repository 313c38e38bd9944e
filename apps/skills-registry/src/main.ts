import { readFileSync } from 'node:fs'
import { runWorker } from '@iii/sdk'
import { exitUnwritten } from '@iii/sdk/cli'
import { commands } from './operator/run.ts'
import { findConflict, options } from './options.ts'
import { MAX_BUS_MESSAGE_BYTES, serveRegistry } from './worker.ts'

const { version, description } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string
  description: string
}
const argv = process.argv.slice(2)

if (commands.isCommand(argv)) {
  exitUnwritten('iii-skills', process)
  process.exitCode = await commands.run({ argv, env: process.env, version, streams: process })
} else {
  await runWorker({
    name: 'skills',
    command: 'iii-skills',
    version,
    description,
    footnote: commands.formatCommands,
    argv,
    env: process.env,
    options,
    findConflict,
    worker: { maxMessageBytes: MAX_BUS_MESSAGE_BYTES },
    serve: async (worker, settings, log) => serveRegistry(worker, settings, log),
  })
}
