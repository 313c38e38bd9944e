import { readFileSync } from 'node:fs'
import { runWorker } from '@iii/sdk'
import { rules } from './options.ts'
import { serveMcpServers } from './worker.ts'

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string
  description: string
}

const surroundings = {
  env: process.env,
  platform: process.platform,
  client: { name: 'iii-mcp-client', version: manifest.version },
}

await runWorker({
  name: 'mcp-client',
  command: 'iii-mcp-client',
  version: manifest.version,
  description: manifest.description,
  argv: process.argv.slice(2),
  env: process.env,
  ...rules,
  waitsItsTurn: true,
  serve: (worker, settings, log) => serveMcpServers(worker, settings, log, surroundings),
})
