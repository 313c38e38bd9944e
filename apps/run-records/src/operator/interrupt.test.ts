import { EventEmitter } from 'node:events'
import { describe, expect, it } from 'vitest'
import { createInterrupt } from './interrupt.ts'

/** A process that ends by throwing its exit code. */
function createProcess() {
  const events = Object.assign(new EventEmitter(), {
    stdout: new EventEmitter(),
    stderr: Object.assign(new EventEmitter(), { write: (_text: string): boolean => true }),
    exit(code = 0): never {
      throw new Error(`exit ${code}`)
    },
  })
  return events
}

describe('a command that runs something', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ])('is given up by %s, and ends at once by a second one', (signal, exitCode) => {
    const endings = createProcess()
    const listening = createInterrupt(endings).listen()
    endings.emit(signal)
    expect(listening.reason).toEqual({ exitCode })
    expect(() => endings.emit(signal)).toThrow(`exit ${exitCode}`)
  })

  it.each(['stdout', 'stderr'] as const)('is given up when nobody reads %s', (stream) => {
    const endings = createProcess()
    const listening = createInterrupt(endings).listen()
    endings[stream].emit('error', Object.assign(new Error('EPIPE'), { code: 'EPIPE' }))
    expect(listening.reason).toEqual({ exitCode: 141 })
  })

  it('is given up once, and has failed, when its output cannot be written', () => {
    const told: string[] = []
    const endings = createProcess()
    endings.stderr.write = (text: string) => told.push(text) > 0
    const listening = createInterrupt(endings).listen()
    for (const _ of [1, 2]) endings.stdout.emit('error', Object.assign(new Error('disk full'), { code: 'ENOSPC' }))
    expect(listening.reason).toEqual({ exitCode: 1 })
    expect(told).toEqual(['iii-runs: the output could not be written: disk full\n'])
  })
})

describe('a command that looks', () => {
  it('ends when nobody reads what it prints, and leaves signals alone', () => {
    const endings = createProcess()
    createInterrupt(endings)
    expect(endings.listenerCount('SIGINT')).toBe(0)
    const fail = (code: string) => endings.stdout.emit('error', Object.assign(new Error(code), { code }))
    expect(() => fail('EPIPE')).toThrow('exit 0')
    expect(() => fail('ENOSPC')).toThrow('exit 1')
    endings.stderr.emit('error', new Error('EPIPE'))
  })
})
