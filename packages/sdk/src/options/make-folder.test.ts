import { mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { makeFolder } from './make-folder.ts'

let home: string

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'iii-folder-'))
})
afterEach(() => rm(home, { recursive: true }))

it('a folder is made with all on the way to it, also by several at once, and stays where it is there', async () => {
  const path = join(home, 'a/b/c')
  await Promise.all([makeFolder(path), makeFolder(path), makeFolder(join(home, 'a/b/d'))])
  await makeFolder(path)
  expect((await stat(path)).isDirectory()).toBe(true)
})

it('a folder below a file, or where the system has none, is refused', async () => {
  await writeFile(join(home, 'file'), '')
  await expect(makeFolder(join(home, 'file/below'))).rejects.toMatchObject({
    code: 'ENOTDIR',
    message: expect.stringMatching(/^no folder can be made at .*below: there is a file on the way to it$/),
  })
  await expect(makeFolder(join(home, 'file'))).rejects.toThrow(/^no folder can be made at .*file: there is a file$/)
  await symlink('nowhere', join(home, 'link'))
  await expect(makeFolder(join(home, 'link'))).rejects.toThrow(/link: a symbolic link there leads nowhere$/)
  await expect(makeFolder(join(home, 'link/below'))).rejects.toThrow(/link: a symbolic link there leads nowhere$/)
  await expect(makeFolder('/proc/none/deeper')).rejects.toThrow()
})
