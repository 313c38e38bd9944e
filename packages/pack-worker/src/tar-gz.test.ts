import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { packTarGz } from './tar-gz.ts'

it('is what tar unpacks, byte for byte and with its modes', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'iii-packaging-'))
  const text = 'ä'.repeat(700)
  try {
    const file = join(folder, 'a.tar.gz')
    await writeFile(
      file,
      packTarGz([
        { path: 'run', text, executable: true },
        { path: 'in/side.txt', text: '' },
      ]),
    )
    execFileSync('tar', ['-xzf', file, '-C', folder])
    expect(await readFile(join(folder, 'run'), 'utf8')).toBe(text)
    expect(await readFile(join(folder, 'in/side.txt'), 'utf8')).toBe('')
    expect((await stat(join(folder, 'run'))).mode & 0o777).toBe(0o755)
    expect((await stat(join(folder, 'in/side.txt'))).mode & 0o111).toBe(0)
  } finally {
    await rm(folder, { recursive: true })
  }
})

it('refuses a path that a header cannot hold', () => {
  expect(() => packTarGz([{ path: 'a'.repeat(101), text: '' }])).toThrow('too long')
})
