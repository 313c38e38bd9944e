/**
 * Runs what a client of the bridge wrote for Node.js as a worker of the engine: `node-worker.mjs DIRECTORY`, where the bridge has put
 * `handler.mjs` and, as `worker.json`, what to register it as.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import { createLog, registerWorker } from '@iii/sdk'

const [directory = ''] = process.argv.slice(2)
const { url, namespace, name, functionId, description, metadata, isWhole } = JSON.parse(
  readFileSync(join(directory, 'worker.json'), 'utf8'),
)

const { default: own, handler = own } = await import(pathToFileURL(join(directory, 'handler.mjs')).href).catch(fail)
// Code that registers a worker by itself needs nothing more.
if (!isWhole) serve()

function serve() {
  if (typeof handler !== 'function') {
    throw new TypeError('the code is no function: write `async (input) => ({ … })`, or a module that exports `handler`')
  }
  const worker = registerWorker(url, { name, namespace, log: createLog({ name, level: 'warn' }) })
  worker.registerFunction(functionId, handler, { description, metadata })
  const stop = () => void worker.shutdown().finally(() => process.exit(0))
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
}

function fail(error) {
  const [, missing] = /^Cannot find package '([^']+)'/.exec(error.message) ?? []
  if (missing !== undefined) {
    process.stderr.write(
      `The package '${missing}' is missing: install it in the folder that the server was started in, with npm install ${missing}\n`,
    )
  }
  throw error
}
