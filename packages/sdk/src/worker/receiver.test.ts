import { expect, it, vi } from 'vitest'
import { startStage } from '../testing/start-worker.ts'

it.each([
  [
    'FUNCTION_NAMESPACE_CONFLICT',
    /^the engine refused a registration: .*not supported yet; use 0\.22\.1 or a later 0\.22$/,
  ],
  ['FORBIDDEN', /^the engine refused a registration$/],
])('a registration that is refused with %s is told', async (code, message) => {
  await using stage = await startStage()
  stage.peer.send({ type: 'registrationrejected', code, function_id: 'a::b' })
  await vi.waitFor(() => expect(stage.log.messages('error')).toEqual([expect.stringMatching(message)]))
  expect(stage.log.lines.at(-1)?.fields).toEqual({ code, function_id: 'a::b' })
})
