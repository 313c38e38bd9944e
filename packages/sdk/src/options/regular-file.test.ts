import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readRegularFile } from './regular-file.ts'

const MAKE_PIPE = 'mkfifo'

async function createFolder() {
  const path = await mkdtemp(join(tmpdir(), 'iii-files-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) }
}

describe('a regular file', () => {
  it('is read up to the limit, also at the end of a link, and not a byte further', async () => {
    await using folder = await createFolder()
    const [file, link] = [join(folder.path, 'a'), join(folder.path, 'link')]
    await writeFile(file, 'x'.repeat(100_000), { mode: 0o640 })
    await symlink(file, link)
    for (const path of [file, link]) {
      const read = readRegularFile(path, { maxBytes: 100_000 })
      expect(read).toMatchObject({ mode: 0o640 })
      expect('bytes' in read && read.bytes.equals(Buffer.alloc(100_000, 'x'))).toBe(true)
    }
    expect(readRegularFile(file, { maxBytes: 99_999 })).toEqual({ problem: 'has 100000 bytes; at most 99999 are read' })
    expect(() => readRegularFile(link, { maxBytes: 1, followsLink: false })).toThrow('ELOOP')
    expect(() => readRegularFile(join(folder.path, 'b'), { maxBytes: 1 })).toThrow('ENOENT')
  })

  it('that says a smaller size than it has is read to the limit alone', () => {
    // Linux makes it up as it is read, and says 0 bytes of it.
    for (const path of ['/proc/self/stat'].filter((name) => existsSync(name))) {
      expect(readRegularFile(path, { maxBytes: 4_096 })).toHaveProperty('bytes.length', expect.any(Number))
      expect(readRegularFile(path, { maxBytes: 10 })).toEqual({
        problem: 'has more than 10 bytes, the most that is read',
      })
    }
  })
})

describe('what is none', () => {
  it('is neither waited for nor read: a pipe without a writer, a device without an end, a folder', async () => {
    await using folder = await createFolder()
    const at = (name: string) => join(folder.path, name)
    execFileSync(MAKE_PIPE, [at('pipe')])
    await symlink('/dev/zero', at('endless'))
    await symlink(at('pipe'), at('link'))
    const read = (name: string) => readRegularFile(at(name), { maxBytes: 10 }).problem
    expect(['pipe', 'link', 'endless', '.'].map(read)).toEqual([
      'is a pipe: only a regular file is read',
      'is a pipe: only a regular file is read',
      'is a device: only a regular file is read',
      'is a folder: only a regular file is read',
    ])
  })
})
