import { readFileSync } from 'node:fs'
import { runWorker } from '@iii/sdk'
import { exitUnwritten } from '@iii/sdk/cli'
import { readWorkerHost } from './management/index.ts'
import { createBridgeCommands } from './operator/commands.ts'
import { readOperatorHost } from './operator/host.ts'
import { bridgeOptions, findConflict, toTransports } from './options.ts'
import { takeStdio } from './stdio/streams.ts'
import { readTelemetryEnvironment } from './telemetry/index.ts'
import { serveBridge } from './worker.ts'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
const argv = process.argv.slice(2)
// What a client shows to say who it is, is nothing for the programs that are started for it.
const { III_MCP_TOKEN: token, ...env } = process.env
const commands = createBridgeCommands(readOperatorHost(env, token))

if (commands.isCommand(argv)) {
  exitUnwritten('iii-mcp', process)
  process.exitCode = await commands.run({ argv, env, version, streams: process })
} else {
  const isEngineStarted = Boolean(process.env['III_WORKER_NAME'])
  await runWorker({
    name: 'mcp',
    command: 'iii-mcp',
    version,
    description: 'Functions, skills and prompts of an iii engine as an MCP server over stdio or Streamable HTTP',
    footnote: commands.formatCommands,
    argv,
    env,
    options: bridgeOptions,
    findConflict,
    kindOfMany: (value) => (toTransports(value, isEngineStarted).stdio ? 'stdio' : undefined),
    // One huge POST is answered from its first bytes; it must not cost the connection.
    // What is called for a request is handed its trace.
    worker: { maxMessageBytes: 256 * 1024 * 1024, followsTraces: false },
    serve(worker, settings, log) {
      const { stdio, http } = toTransports(settings.value, isEngineStarted)
      const client = stdio ? takeStdio(process) : undefined
      const facts = { host: readWorkerHost(env), telemetry: readTelemetryEnvironment(env), token: token || undefined }
      return serveBridge(worker, settings, log, { version, http, client, ...facts })
    },
  })
}
