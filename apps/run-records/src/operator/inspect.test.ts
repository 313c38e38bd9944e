import { createCapture, createScreen } from '@iii/sdk/cli'
import { expect, it } from 'vitest'
import { showResult } from './inspect.ts'
import type { RunsSession } from './session.ts'

it('writes as JSON what strangers are called, with nothing in it that a terminal obeys', () => {
  const stdout = createCapture()
  const screen = createScreen({ stdout, stderr: createCapture() })
  const result = { client: 'one\u009b2J\u202eowt' }
  showResult({ flags: { json: true }, screen } as RunsSession, result, () => '')
  expect(stdout.text()).toContain(String.raw`"one\u009b2J\u202eowt"`)
  expect(JSON.parse(stdout.text())).toEqual(result)
})
