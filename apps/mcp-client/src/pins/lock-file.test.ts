import { chmod, mkdtemp, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { formatLockFile, markLockFile } from './lock-file.ts'
import { toPin, toSmallPin } from './pin.ts'

it('the lock file has the same mark as long as nobody touches it, and another one for whatever becomes of it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lock-file-'))
  const path = join(folder, 'lock.json')
  const other = join(folder, 'other.json')
  const steps = [
    () => writeFile(path, 'one'),
    () => chmod(path, 0o620),
    () => writeFile(other, 'two').then(() => rename(other, path)),
    () => utimes(path, 0, 0),
    () => rm(path),
    () => symlink('elsewhere', path),
  ]
  const marks = [markLockFile(path)]
  for (const step of steps) {
    await step()
    marks.push(markLockFile(path))
    expect(markLockFile(path)).toBe(marks.at(-1))
  }
  // Gone is gone, before and after.
  expect(marks[0]).toBe(marks[5])
  expect(new Set(marks).size).toBe(marks.length - 1)
  await rm(folder, { recursive: true })
})

it('a pin is made small once, since all are written for each that changes', () => {
  const tool = { name: 'a', hash: 'a'.repeat(64), definition: { name: 'a', description: 'long' } }
  const pin = toPin(tool as never, { command: 'b'.repeat(64), now: new Date(0) })
  expect(toSmallPin(pin)).not.toHaveProperty('definition')
  expect(toSmallPin(pin)).toBe(toSmallPin(pin))
})

it('what would be too large to be read again is not written, and tools are in the order of their names', () => {
  const pinOf = (name: string, parts = {}) => ({
    name,
    hash: 'a'.repeat(64),
    command: 'b'.repeat(64),
    approved: '',
    parts,
  })
  const pins = ['c', 'a', 'b'].map((name) => [name, pinOf(name)] as const)
  expect(formatLockFile(new Map([['s', new Map(pins)]]))?.match(/(?<="name": )"."/g)).toEqual(['"a"', '"b"', '"c"'])
  const large = new Map([['a', pinOf('a', { description: 'x'.repeat(16 * 1024 * 1024) })]])
  expect(formatLockFile(new Map([['s', large]]))).toBeUndefined()
})
