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
    await expect(question).rejects.toThrow(/too many streams are open/)
    expect(asked).toBe(0)
    await end(undefined)
  })
})
