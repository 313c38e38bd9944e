import { expect, it } from 'vitest'
import { toMasking } from './masking.ts'

it.each(['ws://127.0.0.1:1', 'ws://127.1.2.3:1', 'ws://localhost:1', 'wss://[::1]:1'])('%s is not masked', (url) => {
  const mask = Buffer.from([1, 2, 3, 4])
  toMasking(url).generateMask?.(mask)
  expect(mask).toEqual(Buffer.alloc(4))
})

it.each(['ws://10.0.0.1:1', 'ws://127.0.0.1.example.com', 'ws://localhost.example.com', 'wss://engine'])(
  '%s is masked as the protocol wants it',
  (url) => expect(toMasking(url)).toEqual({}),
)
