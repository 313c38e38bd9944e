import { Fault } from '@iii/protocol'
import { describe, expect, it } from 'vitest'
import { createOutbox } from './outbox.ts'

describe('the outbox', () => {
  it('hands out what waits in order, without what was removed, and is empty then', () => {
    const outbox = createOutbox()
    outbox.add('a', '1')
    outbox.add('void', undefined)
    outbox.add('b', '2')
    outbox.add('c', '3')
    outbox.remove('2')
    const sent: string[] = []
    outbox.drain((text) => sent.push(text))
    outbox.drain((text) => sent.push(text))
    expect(sent).toEqual(['a', 'void', 'c'])
  })

  it('refuses what is over its number of messages, until one leaves', () => {
    const outbox = createOutbox({ messages: 2, bytes: 1000 })
    outbox.add('a', '1')
    outbox.add('b', undefined)
    expect(() => outbox.add('c', '3')).toThrow(Fault)
    outbox.remove('1')
    outbox.add('c', '3')
    expect(outbox.has('3')).toBe(true)
  })

  it('refuses what is over its bytes', () => {
    const outbox = createOutbox({ messages: 10, bytes: 6 })
    outbox.add('€', '1')
    expect(() => outbox.add('€€', '2')).toThrow(/too many calls wait/)
    outbox.add('€', '2')
    outbox.remove('unknown')
    expect(() => outbox.add('x', '3')).toThrow(Fault)
  })
})
