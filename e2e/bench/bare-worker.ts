/** Functions without any SDK: one returns what it got, one a constant over HTTP, one so many bytes, and no sooner than its call is so old. */
import { argv } from 'node:process'
import { connectBareBus } from './bare-bus.ts'
import { toFiller } from './payload.ts'

const bus = await connectBareBus(argv[3] ?? '')
bus.serve('bare::echo', (data, reply) => reply(JSON.stringify(data)))
bus.serve('bare::http', (_, reply) => reply('{"status_code":200,"body":{"ok":true}}'), { route: '/bare' })
bus.serve('bare::fill', (data, reply) => {
  const arrivedAt = performance.now()
  const { bytes, holdMs, againMs } = data as { bytes: number; holdMs: number; againMs?: number }
  const json = JSON.stringify(toFiller(bytes))
  const look = () => {
    if (performance.now() - arrivedAt < holdMs) return void setImmediate(look)
    reply(json)
    if (againMs !== undefined) setTimeout(reply, againMs, json)
  }
  look()
})
