import { describe, expect, it } from 'vitest'
import { createRecordedLog } from '../testing/recorded-log.ts'
import { createConnectionReport } from './connection-report.ts'

const url = 'wss://engine.example.com'

describe('the report of a connection', () => {
  it('tells a reason once, and another one when it lasts', () => {
    const log = createRecordedLog()
    const report = createConnectionReport(log, url)
    const lose = (reason: string, times: number) => {
      for (let nth = 0; nth < times; nth++) report.lost(reason)
    }
    lose('the name engine.example.com was not resolved (EAI_AGAIN)', 20)
    lose('connect ECONNREFUSED 10.0.0.1:443', 2)
    lose('certificate has expired', 20)
    lose('the name engine.example.com was not resolved (EAI_AGAIN)', 20)
    expect(log.lines.map(({ fields }) => fields['reason'])).toEqual([
      'the name engine.example.com was not resolved (EAI_AGAIN)',
      'certificate has expired',
    ])
  })

  it('tells a loss, what keeps the engine away after it, and each anew once it was there', () => {
    const log = createRecordedLog()
    const report = createConnectionReport(log, url)
    for (let round = 0; round < 2; round++) {
      report.connected()
      report.lost('the engine closed the connection (1006)')
      for (let nth = 0; nth < 10; nth++) report.lost('Unexpected server response: 502')
    }
    const told = [
      'the connection to the engine was lost; trying again until it answers',
      expect.stringMatching(/^the engine cannot be reached; trying again until it answers\. A proxy answers there/),
    ]
    expect(log.messages('warn')).toEqual([...told, ...told])
    expect(log.messages('info')).toEqual(['connected to the engine again'])
  })
})
