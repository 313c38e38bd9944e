import { createLog, type Worker } from '@iii/sdk'
import { createCallFeed } from '@iii/sdk/call-feed'
import { expect, it } from 'vitest'
import type { McpCall } from '../mcp/call.ts'
import { createCallLog } from '../mcp/call-log.ts'
import type { EndedCall } from '../mcp/ended-call.ts'
import { toHolder } from '../testing/principals.ts'
import { untilAnswer } from '../testing/until.ts'
import { toCallEntry } from './record.ts'

const CALLS = 30_000
/** What the contract says that a subscriber may leave waiting, and what is on its way to it. */
const [WAITING, BATCH] = [10_000, 100]
const log = createLog({ name: 'mcp', level: 'silent' })

it('ten thousand calls a second with a subscriber that is dead cost no call anything but its record, and the drops are counted', async () => {
  const answers: ((value: unknown) => void)[] = []
  const batches: { calls: unknown[]; gap?: { dropped: number } }[] = []
  let isDead = true
  const trigger = ({ payload }: { payload: unknown }) => {
    batches.push(payload as (typeof batches)[number])
    return isDead ? new Promise((resolve) => answers.push(resolve)) : Promise.resolve({})
  }
  let dropped = 0
  const teller = { via: 'mcp::b1', namespace: undefined }
  const feed = createCallFeed<EndedCall>({
    ...{ type: 'mcp::on-call', via: teller.via, log, limits: { batchMs: 5 } },
    worker: { state: 'connected', trigger: trigger as unknown as Worker['trigger'] },
    onDropped: (count) => {
      dropped += count
    },
    inputOf: ({ input }) => input,
    toEntry: (ended, withInput) => toCallEntry(ended, teller, withInput),
  })
  feed.bind({ id: 'b', function_id: 'listener::dead', config: {}, metadata: undefined })
  const calls = createCallLog({
    ...{ log, boot: 'b1', count: () => undefined, feed },
    options: () => ({ audit: 'calls' }),
    readKey: (id) => ({ id, namespace: undefined }),
  })
  const call = {
    principal: toHolder('ci'),
    era: 'stateless',
    signal: new AbortController().signal,
  } as unknown as McpCall

  const before = process.cpuUsage()
  for (let done = 0; done < CALLS; done += BATCH) {
    for (let one = 0; one < BATCH; one += 1) follow(calls, call)
    // What is put off comes round between calls.
    await new Promise(setImmediate)
  }
  const { user, system } = process.cpuUsage(before)
  expect((user + system) / 1e6).toBeLessThan(CALLS / 10_000)
  expect([batches.length, dropped]).toEqual([1, CALLS - WAITING - BATCH])

  isDead = false
  for (const answer of answers) answer({})
  const told = () => batches.reduce((sum, batch) => sum + batch.calls.length, 0)
  await untilAnswer(told, (count) => count === WAITING + BATCH)
  expect(batches.map(({ gap }) => gap?.dropped ?? 0).reduce((sum, count) => sum + count, 0)).toBe(dropped)
  await feed.close()
})

function follow(calls: ReturnType<typeof createCallLog>, call: McpCall): void {
  const asked = { kind: 'tool', name: 'orders__get', input: { id: 7 }, call, traceparent: undefined } as const
  const trace = calls.follow(asked)
  trace?.leadsTo('orders::get', { allowed: true, functionId: 'orders::get', detail: { metadata: {} } } as never)
  trace?.invoked('c1')
  trace?.answered({ content: [] }, '{"content":[]}')
}
