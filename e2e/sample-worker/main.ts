import { argv, env } from 'node:process'
import { runWorker } from '@iii/sdk'
import { serveOrders } from './worker.ts'

await runWorker({
  name: 'orders',
  version: '0.1.0',
  description: 'Takes customer orders, looks them up, cancels them and reports on them',
  argv: argv.slice(2),
  env,
  options: {},
  serve: serveOrders,
})
