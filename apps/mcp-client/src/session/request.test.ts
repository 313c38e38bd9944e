import { expect, it } from 'vitest'
import { behave } from '../testing/memory-process.ts'
import { toConfig } from '../testing/server-config.ts'
import { allow, type MemoryServerStage, startServer } from '../testing/server-stage.ts'

const never = new AbortController().signal
const work = { name: 'echo', arguments: {} }

/** A server that answers no call. */
async function startSilent(): Promise<MemoryServerStage> {
  const stage = await startServer({
    answer: (message, process) => message.method === 'tools/call' || behave(message, process),
  })
  await allow(stage)
  return stage
}

const log = (data: string) => ({ method: 'notifications/message', params: { level: 'info', data } })

it('a server that says a token of ours as text is understood', async () => {
  await using stage = await startServer({
    answer(message, process) {
      if (message.method !== 'tools/call') return behave(message, process)
      const { id, params: asked } = message
      const { _meta } = asked as { _meta: { progressToken: number } }
      const params = { progressToken: String(_meta.progressToken), progress: 1 }
      process.say({ method: 'notifications/progress', params })
      process.say({ id, result: { content: [] } })
    },
  })
  await allow(stage)
  const { session } = await stage.server.reach(never)
  const seen: number[] = []
  const onProgress = ({ progress }: { progress: number }) => void seen.push(progress)
  await session.request('tools/call', work, { timeoutMs: 1_000, onProgress })
  expect(seen).toEqual([1])
})

it('what is logged after a call was given up may be about that one, and nobody hears it for as long as it might have taken', async () => {
  await using stage = await startSilent()
  const { session } = await stage.server.reach(never)
  const { callMs } = toConfig().timeouts
  const heard: unknown[] = []
  session.onLog('ada', ({ data }) => void heard.push(data))
  const say = async (data: string) => {
    stage.last().say(log(data))
    await stage.clock.advance(0)
  }
  const given = new AbortController()
  const call = session.request('tools/call', work, { timeoutMs: callMs, signal: given.signal })
  await say('while it runs')
  given.abort(new Error('given up'))
  await expect(call).rejects.toThrow('given up')
  await say('afterwards')
  await stage.clock.advance(callMs - 1)
  await say('nearly as long')
  await stage.clock.advance(1)
  await say('long after')
  expect(heard).toEqual(['while it runs', 'long after'])
})

it('what is logged is heard again as soon as all calls that were given up are answered all the same', async () => {
  await using stage = await startSilent()
  const { session } = await stage.server.reach(never)
  const heard: unknown[] = []
  session.onLog('ada', ({ data }) => void heard.push(data))
  const giveUp = async () => {
    const given = new AbortController()
    const call = session.request('tools/call', work, { timeoutMs: 60_000, signal: given.signal })
    await stage.clock.advance(0)
    given.abort(new Error('given up'))
    await expect(call).rejects.toThrow('given up')
    return stage.last().heard.findLast(({ method }) => method === 'tools/call')?.id
  }
  const say = async (...messages: readonly object[]) => {
    for (const message of messages) stage.last().say(message)
    await stage.clock.advance(0)
  }
  const [one, two] = [await giveUp(), await giveUp()]
  const answer = (id: unknown) => ({ id, error: { code: 0, message: 'Request cancelled' } })
  await say(answer(two), answer(two), answer('other'), log('one goes on'), answer(one), log('none goes on'))
  expect(heard).toEqual(['none goes on'])
})
