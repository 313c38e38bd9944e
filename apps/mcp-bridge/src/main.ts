import { readFileSync } from 'node:fs'
import { runWorker } from '@iii/sdk'
import { bridgeOptions, findConflict } from './options.ts'
import { serveBridge } from './worker.ts'

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
const { version } = manifest

await runWorker({
  name: 'mcp',
  command: 'iii-mcp',
  version,
  description: 'Functions, skills and prompts of an iii engine as an MCP server over Streamable HTTP',
  argv: process.argv.slice(2),
  env: process.env,
  options: bridgeOptions,
  findConflict,
  // One huge POST is answered from its first bytes; it must not cost the connection.
  worker: { maxMessageBytes: 256 * 1024 * 1024 },
  serve: (worker, settings, log) => serveBridge(worker, settings, log, { version }),
})
