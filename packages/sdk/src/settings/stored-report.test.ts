import { expect, it } from 'vitest'
import { createRecordedLog } from '../testing/recorded-log.ts'
import { createStoredReport } from './stored-report.ts'

it('a worker that keeps nothing in the store does not miss it, and says what does not count there', () => {
  const log = createRecordedLog()
  const report = createStoredReport(log, false)
  report.refused('FORBIDDEN')
  report.gone()
  expect(log.lines).toEqual([])
  report.read({ values: new Map(), problems: new Map(), warnings: ['not here'] })
  expect(log.messages('warn')).toEqual(['stored settings: not here'])
})
