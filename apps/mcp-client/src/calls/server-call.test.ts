import { expect, it } from 'vitest'
import { settle } from '../testing/manual-clock.ts'
import { allow, startServer, tool } from '../testing/server-stage.ts'
import { callServer } from './server-call.ts'

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
  const refused = expect(call('demo::echo')).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('waits for approval'),
  })
  const made = call('demo::other')
  await settle()
  await Promise.all([refused, made])
  expect(asked).toEqual(['demo::echo', 'demo::other'])
})
