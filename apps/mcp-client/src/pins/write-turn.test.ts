import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { takeWriteTurn } from './write-turn.ts'

it('a turn that another process has taken for abandoned writes nothing, and leaves the turn of that one', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'write-turn-'))
  const path = join(folder, 'lock.json')
  await writeFile(path, 'theirs')
  const late = takeWriteTurn(path, async (write) => {
    await writeFile(`${path}.writing`, '1 another process')
    await write('ours')
  })
  await expect(late).rejects.toMatchObject({ code: 'unavailable' })
  expect(await readFile(path, 'utf8')).toBe('theirs')
  expect((await readdir(folder)).sort()).toEqual(['lock.json', 'lock.json.writing'])
  await rm(folder, { recursive: true })
})
