import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createFilledFolder } from '../testing/folder.ts'
import { readSkillFile } from './read-file.ts'

const LIMIT = 262_144

describe('the file of a skill', () => {
  it('is read byte for byte', async () => {
    const text = '\uFEFF---\r\nname: é\n---\u0000 😀'
    await using folder = await createFilledFolder({ 'a.md': text })
    expect(await readSkillFile(folder.path, 'a.md')).toEqual({ text, bytes: Buffer.byteLength(text) })
  })

  it('may have the size of the largest skill, and not a byte more', async () => {
    await using folder = await createFilledFolder({ 'a.md': 'x'.repeat(LIMIT), 'b.md': 'x'.repeat(LIMIT + 1) })
    expect(await readSkillFile(folder.path, 'a.md')).toMatchObject({ bytes: LIMIT })
    expect(await readSkillFile(folder.path, 'b.md')).toEqual({
      problem: 'has 262145 bytes; at most 262144 are read',
    })
  })

  it.each([
    ['empty', '', 'is empty'],
    ['a picture', Buffer.from([0x89, 0x50, 0x4e, 0x47]), 'is not text in UTF-8'],
    ['half a character', Buffer.from([0xf0, 0x9f, 0x98]), 'is not text in UTF-8'],
    ['half of a surrogate pair', Buffer.from([0xed, 0xa0, 0x80]), 'is not text in UTF-8'],
  ])('is refused when it is %s', async (_, content, problem) => {
    await using folder = await createFilledFolder({ 'a.md': content })
    expect(await readSkillFile(folder.path, 'a.md')).toEqual({ problem })
  })

  it('is not read through a link that took its place, or the place of a folder on the way', async () => {
    await using outside = await createFilledFolder({ 'secret.md': 'secret' })
    await using folder = await createFilledFolder({ 'x.md': 'x' })
    await symlink(join(outside.path, 'secret.md'), join(folder.path, 'file.md'))
    await symlink(outside.path, join(folder.path, 'folder'))
    expect(await readSkillFile(folder.path, 'file.md')).toEqual({
      problem: 'is a symbolic link, which is not followed',
    })
    expect(await readSkillFile(folder.path, 'folder/secret.md')).toEqual({
      problem: 'lies behind a symbolic link, which is not followed',
    })
  })

  it('is not waited for when it is a pipe, and may be gone', async () => {
    await using folder = await createFilledFolder()
    folder.pipe('pipe.md')
    expect(await readSkillFile(folder.path, 'pipe.md')).toEqual({ problem: 'is a pipe: only a regular file is read' })
    expect(await readSkillFile(folder.path, 'gone.md')).toEqual({ problem: 'is not there' })
    expect(await readSkillFile(folder.path, '../gone.md')).toHaveProperty('problem')
    // What a folder gives for a name that is no text leads to nothing.
    expect(await readSkillFile(folder.path, 'a\ufffd.md')).toEqual({
      problem: 'has a name that is not in UTF-8: rename it',
    })
  })
})
