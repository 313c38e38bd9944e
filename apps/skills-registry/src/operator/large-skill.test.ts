import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startMockEngine } from '@iii/mock-engine'
import { expect, it } from 'vitest'
import { runCommandLine } from '../testing/command.ts'
import { createFilledFolder } from '../testing/folder.ts'
import { startRegistry } from '../testing/registry.ts'

const MIB = 1_048_576

it('a skill of 16 MiB that are no text comes in from a folder and goes out into one, byte for byte', async () => {
  await using engine = await startMockEngine()
  await using registry = await startRegistry(engine.url, { ownership: 'strict' })
  const skill = '---\nname: film\ndescription: Large.\n---\n'
  // All sixteen with the text have 16 MiB.
  const sizeOf = (at: number) => (at === 15 ? MIB - skill.length : MIB)
  const contents = Object.fromEntries(
    Array.from({ length: 16 }, (_, at) => [`film/${at}.bin`, randomBytes(sizeOf(at))]),
  )
  await using from = await createFilledFolder({ 'film/SKILL.md': skill, ...contents })
  await using to = await createFilledFolder()
  const env = { III_URL: engine.url }
  expect(await runCommandLine(['import', from.path], env)).toEqual({ code: 0, stdout: '1 new\n', stderr: '' })
  expect(await registry.call('skills::list')).toMatchObject({ skills: [{ id: 'film', files: 16 }] })
  expect(await runCommandLine(['export', to.path], env)).toMatchObject({ code: 0, stderr: '' })
  for (const [path, bytes] of Object.entries(contents)) {
    expect((await readFile(join(to.path, path))).equals(bytes)).toBe(true)
  }
  expect(await runCommandLine(['import', from.path], env)).toMatchObject({ code: 0, stdout: '1 unchanged\n' })
  await from.write({ 'film/more.txt': 'x' })
  const problem = 'has more than 16777216 bytes with the files beside it'
  expect(await runCommandLine(['import', from.path], env)).toMatchObject({
    code: 1,
    stderr: `film/SKILL.md: ${problem}\n`,
  })
  expect((await runCommandLine(['lint', from.path], env)).stdout).toContain(problem)
})
