import { Fault } from '@iii/protocol'
import { describe, expect, it } from 'vitest'
import { toEngineUrl, toPublicUrl } from './url.ts'

describe('the address of an engine', () => {
  it.each([
    ['ws://127.0.0.1:49134', 'ws://127.0.0.1:49134/'],
    [' WSS://Engine.example/base?token=t ', 'wss://engine.example/base?token=t'],
    ['http://localhost:49134/', 'ws://localhost:49134/'],
    ['https://engine.example#part', 'wss://engine.example/'],
  ])('%j is %s', (text, url) => {
    expect(toEngineUrl(text)).toBe(url)
  })

  it.each(['', 'localhost:49134', 'ftp://x', 'ws://', 'ws:/x', 'ws://a b', 'ws://host:99999', 'javascript:alert(1)'])(
    'is not %j',
    (text) => {
      expect(() => toEngineUrl(text)).toThrow(Fault)
    },
  )

  it('is shown without user, password and query', () => {
    expect(toPublicUrl('wss://me:secret@engine.example/base?token=t')).toBe('wss://engine.example/base')
    expect(toPublicUrl('ws://127.0.0.1:49134/')).toBe('ws://127.0.0.1:49134')
  })
})
