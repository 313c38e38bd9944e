import { type MockEngine, startMockEngine } from '@iii/mock-engine'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type CommandStage, startCommandStage } from '../testing/command-stage.ts'

const entry = { command: 'node', trust: 'unsandboxed' }

let engine: MockEngine
let stage: CommandStage

beforeAll(async () => {
  engine = await startMockEngine()
  stage = await startCommandStage(
    { good: entry, broken: entry, large: entry, empty: entry, bad: { command: 5 }, unread: entry },
    engine.url,
  )
  await stage.serve(
    { name: 'good', tools: [{ tool: 'echo', functionId: 'good::echo', state: 'registered' }] },
    {
      name: 'broken',
      state: 'backoff',
      diagnostics: [
        { code: 'unknown_key', message: 'nobody knows the key tool' },
        { code: 'exited', message: 'Its process ended' },
      ],
    },
    { name: 'large', diagnostics: [{ code: 'too_many_tools', message: 'It lists 300 tools' }] },
    { name: 'empty', diagnostics: [{ code: 'unknown_key', message: 'nobody knows the key tool' }] },
    { name: 'bad', state: 'disabled' },
  )
})
afterAll(async () => {
  await stage[Symbol.asyncDispose]()
  await engine.close()
})

it.each([
  ['broken', 1, 'broken: it is backoff: Its process ended\n'],
  ['large', 1, 'large: It lists 300 tools\n'],
  ['bad', 1, 'bad: it is disabled\n'],
  ['unread', 1, 'unread: the running worker does not have it: .*\n'],
  ['empty', 0, ''],
])('says why it shows no tools of the server %s', async (name, code, told) => {
  const run = await stage.run(['tools', name])
  expect(run).toEqual({ code, stdout: '', stderr: expect.stringMatching(new RegExp(`^no tools\n${told}$`)) })
})

it('shows the tools that there are, and says of which servers there are none', async () => {
  const { code, stdout, stderr } = await stage.run(['tools'])
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^good +echo/m)])
  expect(stderr.match(/^\w+(?=:)/gm)).toEqual(['broken', 'large', 'bad', 'unread'])
  expect(await stage.json(['tools', 'broken'])).toEqual({
    tools: [],
    absences: [{ server: 'broken', state: 'backoff', why: 'it is backoff: Its process ended' }],
  })
})
