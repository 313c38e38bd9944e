import { mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { expect, it } from 'vitest'
import { place } from './place.ts'

it('leaves nothing behind where a folder has the name of the file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'iii-place-'))
  await mkdir(join(folder, 'tea.tar.gz/in'), { recursive: true })
  await expect(place(join(folder, 'tea.tar.gz'), 'tea')).rejects.toThrow()
  expect(await readdir(folder)).toEqual(['tea.tar.gz'])
  await rm(folder, { recursive: true })
})

it('leaves nothing behind where there is no room for all of it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'iii-place-'))
  const file = join(folder, 'tea.tar.gz')
  await symlink('/dev/full', `${file}.${process.pid}`)
  await expect(place(file, 'tea')).rejects.toMatchObject({ code: 'ENOSPC' })
  expect(await readdir(folder)).toEqual([])
  await rm(folder, { recursive: true })
})
