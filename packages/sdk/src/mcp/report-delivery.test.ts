import { Fault } from '@iii/protocol'
import { expect, it } from 'vitest'
import { createRecordedLog } from '../testing/recorded-log.ts'
import { createReportDelivery } from './report-delivery.ts'

it('tells its author of a report that no client is told because it is malformed', async () => {
  const log = createRecordedLog()
  const refusals = [
    new Fault('invalid_input', 'level: must be one of "warning"'),
    new Fault('not_found', 'No such call'),
  ]
  const trigger = () => Promise.reject(refusals.shift())
  const { signal } = new AbortController()
  const worker = { trigger, log }
  const delivery = createReportDelivery({ worker, namespace: undefined, signal, sendMs: 100, restMs: 100 })
  const report = { functionId: 'mcp::1::log', payload: { level: 'warn' }, settle: () => undefined }
  await delivery.send(report)
  await delivery.send(report)
  expect(log.messages('warn')).toEqual(['the client of a call was not told'])
  expect(log.messages('debug')).toEqual(['the client of a call was not told'])
})
