import { readFileSync } from 'node:fs'
import { readHost, runWorker } from '@iii/sdk'
import { exitUnwritten } from '@iii/sdk/cli'
import { createClientCommands } from './operator/commands.ts'
import { askPerson } from './operator/question.ts'
import { rules } from './options.ts'
import { serveMcpServers } from './worker.ts'

const { version, description } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string
  description: string
}
const { env, platform, stdin, stderr } = process
const argv = process.argv.slice(2)

const commands = createClientCommands({
  ...readHost(),
  env,
  // On stderr, so that what is printed can go elsewhere.
  ask: stdin.isTTY && stderr.isTTY ? (question) => askPerson(question, stdin, stderr) : undefined,
})

if (commands.isCommand(argv)) {
  exitUnwritten('iii-mcp-client', process)
  process.exitCode = await commands.run({ argv, env, version, streams: process })
} else {
  const surroundings = { env, platform, client: { name: 'iii-mcp-client', version } }
  await runWorker({
    name: 'mcp-client',
    command: 'iii-mcp-client',
    version,
    description,
    footnote: commands.formatCommands,
    argv,
    env,
    ...rules,
    waitsItsTurn: true,
    serve: (worker, settings, log) => serveMcpServers(worker, settings, log, surroundings),
  })
}
