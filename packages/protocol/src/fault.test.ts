import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FAULT_CODES, Fault, formatFault, isFaultCode, parseFault, toFault } from './fault.ts'

const codes = fc.constantFrom(...FAULT_CODES)
const messages = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', ' [not_found]', 'a [x]', 'a]', ' [', 'line\nline'),
)

describe('a fault in a message', () => {
  it('comes back as it was sent, whatever its message holds', () => {
    fc.assert(
      fc.property(codes, messages, (code, message) => {
        expect(parseFault(formatFault({ code, message }))).toEqual({ code, message })
      }),
    )
  })

  it('is read only from a text that formatFault could have written', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          messages,
          fc.tuple(messages, codes).map(([m, c]) => `${m} [${c}]`),
        ),
        (text) => {
          const read = parseFault(text)
          if (read) expect(formatFault(read)).toBe(text)
        },
      ),
    )
  })

  it.each(['', 'plain', '[not_found]', 'a [not_found] ', 'a [NOT_FOUND]', 'a [nonsense]', 'a[not_found]', 'a []'])(
    'is not seen in %j',
    (text) => {
      expect(parseFault(text)).toBeUndefined()
    },
  )
})

describe('toFault', () => {
  it('leaves a fault as it is', () => {
    const fault = new Fault('conflict', 'taken')
    expect(toFault(fault)).toBe(fault)
  })

  it('reads the code at the end of the message before any other', () => {
    const fault = toFault({ code: 'invocation_failed', message: 'Skill not found: a [not_found]' })
    expect(fault).toMatchObject({ name: 'Fault', code: 'not_found', message: 'Skill not found: a' })
  })

  it('knows a fault of another copy of this package by its code', () => {
    expect(toFault({ name: 'Fault', code: 'overloaded', message: 'later' })).toMatchObject({
      code: 'overloaded',
      message: 'later',
    })
  })

  it.each([
    ['TIMEOUT', 'deadline'],
    ['function_not_found', 'unavailable'],
    ['invocation_stopped', 'worker_lost'],
    ['connection_lost', 'worker_lost'],
    ['closed', 'unavailable'],
    ['channel_send_failed', 'worker_lost'],
    ['FORBIDDEN', 'forbidden'],
    ['NOT_FOUND', 'not_found'],
    ['deserialization_error', 'invalid_input'],
    ['INVALID_ARGUMENTS', 'invalid_input'],
    ['VALUE_TOO_LARGE', 'too_large'],
    ['invocation_failed', 'internal'],
    ['', 'internal'],
  ])('calls the wire code %j %j', (wire, code) => {
    expect(toFault({ code: wire, message: 'm' })).toMatchObject({ code, message: 'm' })
  })

  it('takes off the code that the official client puts before the text', () => {
    expect(
      toFault({ code: 'invocation_failed', message: 'invocation_failed: no such order [not_found]' }),
    ).toMatchObject({
      code: 'not_found',
      message: 'no such order',
    })
  })

  it('calls an abort by time a deadline', () => {
    const error = new Error('took too long')
    error.name = 'TimeoutError'
    expect(toFault(error)).toMatchObject({ code: 'deadline', message: 'took too long' })
  })

  it('keeps what was thrown as the cause', () => {
    const error = new Error('boom')
    expect(toFault(error).cause).toBe(error)
  })

  it('makes a fault of anything at all', () => {
    const hostile = {
      get message(): string {
        throw new Error('no')
      },
    }
    const things = fc.oneof(
      fc.anything(),
      fc.constant(hostile),
      fc.constant(Object.create(null)),
      fc.constant(Symbol('s')),
    )
    fc.assert(
      fc.property(things, (thing) => {
        const fault = toFault(thing)
        expect(isFaultCode(fault.code)).toBe(true)
        expect(fault.message).not.toBe('')
      }),
    )
    expect(toFault('no such order [not_found]')).toMatchObject({ code: 'not_found', message: 'no such order' })
    expect(toFault(undefined)).toMatchObject({ code: 'internal', message: 'unknown error' })
    expect(toFault(hostile).message).toBe('unknown error')
  })
})
