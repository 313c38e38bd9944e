import { readFileSync } from 'node:fs'
import { runWorker } from '@iii/sdk'
import { options } from './options.ts'
import { serveRegistry } from './worker.ts'

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string
  description: string
}

await runWorker({
  name: 'skills',
  command: 'iii-skills',
  version: manifest.version,
  description: manifest.description,
  argv: process.argv.slice(2),
  env: process.env,
  options,
  serve: async (worker, settings, log) => serveRegistry(worker, settings, log),
})
