import { startMockEngine } from '@iii/mock-engine'
import { Fault } from '@iii/protocol'
import { createLog, registerWorker } from '@iii/sdk'
import { expect, test } from 'vitest'
import { startRunProcess } from '../testing/run-stage.ts'

const SECRET = 'open sesame'

test.each([
  ['deadline', undefined, 'It did not answer to open sesame in time'],
  ['worker_lost', undefined, 'It did not answer to open sesame in time'],
  ['deadline', 'digest', 'It did not answer to <secret> in time'],
  ['deadline', 'none', 'It did not pass; its runs.record says that nothing of its answers is kept'],
] as const)(
  'a function that says itself %s ends in the unknown; with runs.record %s of its words is kept: %s',
  async (code, record, message) => {
    await using engine = await startMockEngine()
    const shop = registerWorker(engine.url, { name: 'shop', log: createLog({ name: 'shop', level: 'silent' }) })
    const give = ({ name }: { name: string }) => {
      throw new Fault(code, `It did not answer to ${name} in time`)
    }
    shop.registerFunction('shop::order', give, { metadata: record === undefined ? {} : { 'runs.record': record } })
    await shop.ready({ timeoutMs: 5000 })
    const jobs = { order: { targets: ['shop::order'], inputs: { 'shop::order': { name: SECRET } } } }
    await using runs = await startRunProcess(engine.url, jobs)
    const run = await runs.run('order')
    expect(run).toMatchObject({
      status: 'unknown',
      exit_code: 1,
      tasks: [{ status: 'unknown', error: { code, message } }],
    })
    if (record !== undefined) expect(JSON.stringify(await runs.store.runs.read(run.id))).not.toContain(SECRET)
    await shop.shutdown()
  },
)
