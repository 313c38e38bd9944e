import { expect, it } from 'vitest'
import { exitUnwritten } from './unwritten.ts'

function end(code: string): string {
  let told = ''
  const ending = {
    stderr: {
      write(text: string) {
        told += text
      },
    },
    exit(exitCode?: number): never {
      throw new Error(`${told}exit ${exitCode}`)
    },
  }
  try {
    return exitUnwritten('iii-runs', Object.assign(new Error(`${code}: why`), { code }), ending)
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
