import { expect, it } from 'vitest'
import { LATE_LOGS_MS } from '../session/notifications.ts'
import { settle } from '../testing/manual-clock.ts'
import { createServerCaller } from '../testing/server-caller.ts'
import { allow, startServer, tool } from '../testing/server-stage.ts'
import { callServer, toCallerKey } from './server-call.ts'

/** Whatever took it away: another list, the file, or somebody else who has functions under its name. */
const WITHDRAWN = {
  code: 'unavailable',
  message: 'demo::echo was taken away while the call waited for its server, which was asked nothing',
}
const ada = createServerCaller('ada')

it('a call that waits for its server is not made when its tool has been taken away meanwhile', async () => {
  await using stage = await startServer()
  await allow(stage)
  const asked: string[] = []
  const call = (id: string) => callServer(stage.server, id, ada, async () => void asked.push(id))
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
  const leave = await stage.server.queue.enter(ada.signal)
  const refused = expect(callServer(stage.server, 'demo::echo', ada, async () => 'made')).rejects.toMatchObject(
    WITHDRAWN,
  )
  stage.server.setConflict("worker 'shop'")
  leave()
  await refused
})

it('what a server logs may be about a call that is over, and nobody but its caller hears it for a while', async () => {
  await using stage = await startServer()
  await allow(stage)
  const { session } = await stage.server.reach(ada.signal)
  const heard: string[] = []
  const bob = createServerCaller('bob')
  for (const [name, caller] of Object.entries({ ada, bob }))
    session.onLog(toCallerKey(caller), ({ data }) => void heard.push(`${name}: ${data}`))
  const say = async (data: string) => {
    stage.last().say({ method: 'notifications/message', params: { level: 'info', data } })
    await stage.clock.advance(0)
  }
  await callServer(stage.server, 'demo::echo', ada, async () => say('first'))
  await say('late')
  await callServer(stage.server, 'demo::echo', bob, async () => say('while the next one runs'))
  await say('of both')
  expect(heard).toEqual(['ada: first', 'bob: first', 'ada: late', 'ada: while the next one runs'])
  await stage.clock.advance(LATE_LOGS_MS)
  await say('long after')
  expect(heard.slice(4)).toEqual(['ada: long after', 'bob: long after'])
})

it('callers are told apart by connection, token and name', () => {
  const call = createServerCaller('bridge')
  const named = { ...call, client: { name: 'one', version: '1', capabilities: {} } }
  const keys = [
    call,
    createServerCaller('other'),
    named,
    { ...named, client: { ...named.client, name: 'two' } },
    { ...named, principal: { id: 'token:ci', method: 'token', scopes: [] } },
  ].map(toCallerKey)
  expect(new Set(keys).size).toBe(5)
  expect(toCallerKey({ ...named, client: { ...named.client, capabilities: { roots: {} } } })).toBe(keys[2])
})
