import { describe, expect, it } from 'vitest'
import { CANCELLED, createExchange, LEFT } from './exchange.ts'

const open = () => createExchange({ open: undefined, ask: undefined, silenceMs: 1_000, plainMs: 2_000 })

describe('the signal of an exchange', () => {
  it('fires once, with the first reason, for those who still listen', () => {
    const { signal, abort } = open()
    const heard: string[] = []
    const leaves = () => heard.push('who has left')
    signal.addEventListener('abort', () => heard.push('first'))
    signal.addEventListener('abort', leaves)
    signal.addEventListener('abort', () => heard.push('last'))
    signal.removeEventListener('abort', leaves)
    abort(CANCELLED)
    abort(LEFT)
    expect(heard).toEqual(['first', 'last'])
    expect([signal.aborted, signal.reason]).toEqual([true, CANCELLED])
  })

  it('is silent once the reply is there', async () => {
    const { signal, abort, end } = open()
    let heard = 0
    signal.addEventListener('abort', () => {
      heard += 1
    })
    await end(undefined)
    abort(LEFT)
    expect([heard, signal.aborted, signal.reason]).toEqual([0, false, undefined])
  })

  it('does not fire for a listener that another one has taken away, like that of an AbortController', () => {
    const { signal, abort } = open()
    const heard: string[] = []
    const second = () => heard.push('second')
    signal.addEventListener('abort', () => {
      heard.push('first')
      signal.removeEventListener('abort', second)
    })
    signal.addEventListener('abort', second)
    abort(LEFT)
    expect(heard).toEqual(['first'])
  })
})

describe('a question of an exchange', () => {
  it('is not asked where no stream is left for it, which is said', async () => {
    let asked = 0
    const { reach, end } = createExchange({
      open: () => undefined,
      ask: async () => {
        asked += 1
        return { result: 'yes', by: undefined }
      },
      silenceMs: 1_000,
      plainMs: 2_000,
    })
    const question = reach.ask?.('roots/list', {}, AbortSignal.abort())
    await expect(question).rejects.toThrow(/too many streams are open, .* or this server is stopping/)
    expect(asked).toBe(0)
    await end(undefined)
  })
})

describe('progress of an exchange', () => {
  it('grows with each message: what does not is left out, and said to be', async () => {
    const sent: unknown[] = []
    const line = {
      send: async (message: string) => {
        sent.push(JSON.parse(message).params.progress)
        return true
      },
      comment: () => undefined,
      pause: async () => false,
      end: async () => true,
    }
    const { reach, end } = createExchange({ open: () => line, ask: undefined, silenceMs: 1_000, plainMs: 2_000 })
    const delivered: boolean[] = []
    for (const progress of [-1, 2, 1, 2, 2.5, 0, 3]) {
      delivered.push(await reach.notify('notifications/progress', { progressToken: 'p', progress }))
    }
    expect(sent).toEqual([-1, 2, 2.5, 3])
    expect(delivered).toEqual([true, true, false, false, true, false, true])
    await end(undefined)
  })
})
