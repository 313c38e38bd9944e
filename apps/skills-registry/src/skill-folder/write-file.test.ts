import { chmod, mkdir, readdir, stat, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createFilledFolder } from '../testing/folder.ts'
import { lookAt, writeBelow } from './write-file.ts'

const bytes = Buffer.from('new')

describe('a file that is written', () => {
  it('gets its folders and the mode of any new file, and leaves nothing else behind', async () => {
    await using folder = await createFilledFolder()
    expect(await writeBelow(folder.path, 'a/b/c.md', bytes)).toBeUndefined()
    expect(await folder.read()).toEqual({ 'a/b/c.md': 'new' })
    await folder.write({ 'plain.md': '' })
    const [written, plain] = await Promise.all(
      ['a/b/c.md', 'plain.md'].map(async (path) => (await stat(join(folder.path, path))).mode),
    )
    expect(written).toBe(plain)
  })

  it('can be run where it is a script, and otherwise as far as the one in its place could be', async () => {
    await using folder = await createFilledFolder({ 'tool.py': '', 'read.sh': '#!/bin/sh' })
    await chmod(join(folder.path, 'tool.py'), 0o755)
    const isRun = async (path: string, text: string) => {
      expect(await writeBelow(folder.path, path, Buffer.from(text))).toBeUndefined()
      return ((await stat(join(folder.path, path))).mode & 0o100) !== 0
    }
    expect(await isRun('scripts/check.sh', '#!/bin/sh\n')).toBe(true)
    expect(await isRun('notes.txt', 'a #! b')).toBe(false)
    expect(await isRun('tool.py', 'print(1)')).toBe(true)
    expect(await isRun('read.sh', '#!/bin/sh\n')).toBe(false)
  })

  it('takes the place of a link and leaves where it leads alone', async () => {
    await using outside = await createFilledFolder({ 'secret.md': 'secret' })
    await using folder = await createFilledFolder()
    await symlink(join(outside.path, 'secret.md'), join(folder.path, 'a.md'))
    expect(await lookAt(folder.path, 'a.md', bytes)).toEqual({
      problem: 'is in the way at a.md: it is no regular file',
    })
    expect(await writeBelow(folder.path, 'a.md', bytes)).toBeUndefined()
    expect(await folder.read()).toEqual({ 'a.md': 'new' })
    expect(await outside.read()).toEqual({ 'secret.md': 'secret' })
  })

  it('is not written where the folder itself has become a link', async () => {
    await using outside = await createFilledFolder()
    await using around = await createFilledFolder()
    const root = join(around.path, 'root')
    await symlink(outside.path, root)
    for (const path of ['a.md', 'b/a.md'])
      expect(await writeBelow(root, path, bytes)).toMatch(/is a symbolic link, which is not followed$/)
    expect(await outside.read()).toEqual({})
  })

  it('is not written through a folder that is a link, at any depth', async () => {
    await using outside = await createFilledFolder()
    await using folder = await createFilledFolder({ 'x/y.md': '' })
    await symlink(outside.path, join(folder.path, 'a'))
    await symlink(outside.path, join(folder.path, 'x/a'))
    for (const path of ['a/b.md', 'a/b/c.md', 'x/a/b.md']) {
      expect(await lookAt(folder.path, path, bytes)).toEqual({ problem: expect.stringContaining('symbolic link') })
      expect(await writeBelow(folder.path, path, bytes)).toContain('symbolic link')
    }
    expect(await readdir(outside.path)).toEqual([])
  })

  it('says what is in its way', async () => {
    await using folder = await createFilledFolder({ file: '' })
    await mkdir(join(folder.path, 'a.md'))
    expect(await lookAt(folder.path, 'file/b.md', bytes)).toEqual({
      problem: 'file is in the way: it is no folder',
    })
    expect(await writeBelow(folder.path, 'file/b.md', bytes)).toContain('file/b.md')
    expect(await lookAt(folder.path, 'a.md', bytes)).toHaveProperty('problem')
    expect(await writeBelow(folder.path, 'a.md', bytes)).toContain('a.md')
    expect(await folder.read()).toEqual({ file: '' })
  })

  it('is compared with what is there', async () => {
    await using folder = await createFilledFolder({
      'same.md': 'new',
      'other.md': 'old',
      'long.md': 'x'.repeat(300_000),
    })
    const looks = ['same.md', 'other.md', 'long.md', 'none.md', 'none/none.md'].map((path) =>
      lookAt(folder.path, path, bytes),
    )
    expect(await Promise.all(looks)).toEqual(['same', 'other', 'other', 'nothing', 'nothing'])
  })
})
