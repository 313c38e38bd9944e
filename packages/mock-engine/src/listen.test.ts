import { describe, expect, it } from 'vitest'
import { PortTakenError, toListenError } from './listen.ts'

function say(code: string, port: number): Error {
  const error = Object.assign(new Error(`listen ${code}: permission denied`), { code })
  return toListenError(error, port, '192.0.2.1', 'http')
}

describe('a port that cannot be listened on', () => {
  it('is taken only when somebody else has it', () => {
    expect(say('EADDRINUSE', 3111)).toBeInstanceOf(PortTakenError)
    expect(say('EACCES', 80)).not.toBeInstanceOf(PortTakenError)
  })

  it.each([
    [
      'EACCES',
      80,
      "port 80 for the engine's HTTP side is not open to this user: ports below 1024 need administrator rights",
    ],
    ['EACCES', 8080, "port 8080 for the engine's HTTP side is not open to this user: the system does not allow it"],
    ['EADDRNOTAVAIL', 3111, 'this machine has no address 192.0.2.1 to listen on'],
  ])('says what is in the way: %s at %d', (code, port, message) => {
    expect(say(code, port).message).toBe(message)
  })

  it('keeps what it does not know', () => {
    expect(say('EMFILE', 3111).message).toContain('EMFILE')
  })
})
