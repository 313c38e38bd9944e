/** A worker with as many functions as there are tools to list; each returns what it got. */
import { argv, env } from 'node:process'
import { runWorker } from '@iii/sdk'
import { DESCRIPTION, REQUEST_FORMAT, SIZES, toSizedToolId, toTier } from './bridge-tools.ts'

await runWorker({
  name: 'tools',
  version: '0.0.0',
  description: 'Offers many tools',
  argv: argv.slice(2),
  env,
  options: {},
  serve(worker) {
    for (const size of SIZES) {
      for (let number = 1; number <= size; number += 1) {
        worker.registerFunction(toSizedToolId(size, number), (payload) => payload, {
          description: DESCRIPTION,
          request_format: REQUEST_FORMAT,
          metadata: { mcp: { expose: true, tier: toTier(size), title: `Tool ${number} of ${size}` } },
        })
      }
    }
    return undefined
  },
})
