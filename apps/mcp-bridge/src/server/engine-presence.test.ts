import type { Worker } from '@iii/sdk'
import { expect, it } from 'vitest'
import { createEnginePresence } from './engine-presence.ts'

type State = Worker['state']

function startPresence(patienceMs: number) {
  let tell = (_: State) => {}
  const worker = {
    url: 'ws://127.0.0.1:49134',
    state: 'connecting' as State,
    onStateChange(listener: (state: State) => void) {
      tell = listener
      return () => {}
    },
  }
  const presence = createEnginePresence({ worker, onLate: () => undefined, patienceMs })
  const become = (state: State) => {
    worker.state = state
    tell(state)
  }
  return { presence, become }
}

it('has patience once each time that the engine is gone, whoever asks', async () => {
  const { presence, become } = startPresence(1)
  expect(await presence.isThere()).toBe(false)
  const order: string[] = []
  const pause = new Promise((resolve) => setImmediate(resolve)).then(() => order.push('a turn later'))
  await Promise.all([pause, presence.isThere().then(() => order.push('asked')), presence.isKnown()])
  expect(order).toEqual(['asked', 'a turn later'])
  become('connected')
  expect(await presence.isThere()).toBe(true)
  become('connecting')
  const waiting = presence.isThere()
  become('connected')
  expect(await waiting).toBe(true)
})
