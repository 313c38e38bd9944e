import { EventEmitter } from 'node:events'
import { expect, it } from 'vitest'
import { exitUnwritten } from './unwritten.ts'

function end(code: string, stream: 'stdout' | 'stderr' = 'stdout'): string {
  let told = ''
  const ending = {
    stdout: new EventEmitter(),
    stderr: Object.assign(new EventEmitter(), {
      write(text: string) {
        told += text
      },
    }),
    exit(exitCode?: number): never {
      throw new Error(`${told}exit ${exitCode}`)
    },
  }
  exitUnwritten('iii-runs', ending)
  try {
    return String(ending[stream].emit('error', Object.assign(new Error(`${code}: why`), { code })))
  } catch (error) {
    return String(error)
  }
}

it('a command that nobody reads any more ends as it would have', () => {
  expect(end('EPIPE')).toBe('Error: exit undefined')
})

it('a command whose output is lost has failed, and says so', () => {
  expect(end('ENOSPC')).toBe('Error: iii-runs: the output could not be written: ENOSPC: why\nexit 1')
})

it('a command that cannot say what is wrong goes on', () => {
  expect(end('EPIPE', 'stderr')).toBe('true')
  expect(end('ENOSPC', 'stderr')).toBe('true')
})
