/** The least a worker can do, by our SDK: functions that return what they got, or as many bytes as they are asked for. */
import { argv, env } from 'node:process'
import { runWorker } from '@iii/sdk'
import { toFiller } from './payload.ts'

await runWorker({
  name: 'floor',
  version: '0.0.0',
  description: 'Answers at once',
  argv: argv.slice(2),
  env,
  options: {},
  serve(worker) {
    worker.registerFunction('floor::echo', (payload) => payload, { metadata: { 'mcp.expose': true } })
    worker.registerFunction('floor::fill', ({ bytes }: { bytes: number }) => toFiller(bytes))
    return undefined
  },
})
