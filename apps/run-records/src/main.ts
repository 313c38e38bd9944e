import { readFileSync } from 'node:fs'
import { runWorker } from '@iii/sdk'
import { createRunsCommands } from './operator/commands.ts'
import { createInterrupt } from './operator/interrupt.ts'
import { options } from './options.ts'
import { serveRuns } from './worker.ts'

const { version, description } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string
  description: string
}
const argv = process.argv.slice(2)
const commands = createRunsCommands(() => createInterrupt(process))

if (commands.isCommand(argv)) {
  process.exitCode = await commands.run({ argv, env: process.env, version, streams: process })
} else {
  await runWorker({
    name: 'runs',
    command: 'iii-runs',
    version,
    description,
    footnote: commands.formatCommands,
    argv,
    env: process.env,
    options,
    serve: async (worker, settings, log) => serveRuns(worker, settings, log),
  })
}
