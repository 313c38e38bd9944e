import { expect, it } from 'vitest'
import { toTriggerSource } from './edges.ts'

it('a trigger is named by where it listens, and one whose place is long says that it is cut', () => {
  expect(toTriggerSource('http', { http_method: 'POST', api_path: 'orders' })).toBe('http POST orders')
  expect(toTriggerSource('subscribe', { topic: '😀'.repeat(100) })).toBe(`subscribe ${'😀'.repeat(46)}…`)
})
