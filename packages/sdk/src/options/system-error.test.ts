import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { toReason } from './system-error.ts'

const home = mkdtempSync(join(tmpdir(), 'iii-reason-'))
afterAll(() => rmSync(home, { recursive: true }))
const at = (path: string) => join(home, path)
mkdirSync(at('folder/full'), { recursive: true })
writeFileSync(at('file'), '')
symlinkSync('circle', at('circle'))

function thrownBy(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return error
  }
}

it.each([
  ['none', () => readFileSync(at('none')), 'it is not there'],
  ['file/below', () => readFileSync(at('file/below')), 'a part of its path is no folder'],
  ['circle', () => readFileSync(at('circle')), 'its symbolic links lead in a circle'],
  ['folder', () => renameSync(at('file'), at('folder')), 'it is a folder'],
])('of %s it is said in words what is wrong', (path, work, words) => {
  expect(toReason(thrownBy(work))).toBe(`${at(path)}: ${words}`)
})

it('anything else keeps its own words', () => {
  expect(toReason(new Error('no such worker'))).toBe('no such worker')
  expect(toReason('stop')).toBe('stop')
})
