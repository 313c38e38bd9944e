import { expect, it } from 'vitest'
import { settle } from '../testing/manual-clock.ts'
import { allow, startServer, tool } from '../testing/server-stage.ts'
import { callServer } from './server-call.ts'

/** Whatever took it away: another list, the file, or somebody else who has functions under its name. */
const WITHDRAWN = {
  code: 'unavailable',
  message: 'demo::echo was taken away while the call waited for its server, which was asked nothing',
}
const never = new AbortController().signal

it('a call that waits for its server is not made when its tool has been taken away meanwhile', async () => {
  await using stage = await startServer()
  await allow(stage)
  const asked: string[] = []
  const call = (id: string) => callServer(stage.server, id, never, async () => void asked.push(id))
  await call('demo::echo')
  expect(asked).toEqual(['demo::echo'])
  stage.tools = [tool('other')]
  stage.server.restart()
  const refused = expect(call('demo::echo')).rejects.toMatchObject(WITHDRAWN)
  const made = call('demo::other')
  await settle()
  await Promise.all([refused, made])
  expect(asked).toEqual(['demo::echo', 'demo::other'])
})

it('a call that waits for its place is not made when somebody else has functions under its name meanwhile', async () => {
  await using stage = await startServer({ config: { concurrency: { calls: 1, waiting: 1, waitMs: 1_000 } } })
  await allow(stage)
  const leave = await stage.server.queue.enter(never)
  const refused = expect(callServer(stage.server, 'demo::echo', never, async () => 'made')).rejects.toMatchObject(
    WITHDRAWN,
  )
  stage.server.setConflict("worker 'shop'")
  leave()
  await refused
})
