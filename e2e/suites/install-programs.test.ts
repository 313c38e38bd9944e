import process from 'node:process'
import { expect, it } from 'vitest'
import { readPrograms } from './install-programs.ts'

it('takes two programs, and says what is missing', () => {
  const node = process.execPath
  expect(readPrograms(['--iii', node, '--iii-worker', node])).toEqual({ iii: node, iiiWorker: node })
  expect(readPrograms(['--iii', node])).toContain('Usage')
  expect(readPrograms(['--iii', node, '--iii-worker', '/nowhere/iii-worker'])).toContain('/nowhere/iii-worker')
  expect(readPrograms(['--ii', node])).toContain("'--ii'")
})
