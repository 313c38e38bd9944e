import { chown, lstat, mkdir, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createFolder } from '../../testing/folder.ts'
import { look, replace } from './write-file.ts'

describe('a file', () => {
  it('that changed since it was looked at is left alone', async () => {
    await using folder = await createFolder()
    const file = await folder.write('mcp.json', '{}')
    const seen = await look(file)
    await writeFile(file, '{"theirs":1}')
    await expect(replace(seen, '{"ours":1}')).rejects.toThrow('it has changed meanwhile; try again')
    expect(await folder.read('mcp.json')).toBe('{"theirs":1}')
    expect(await folder.files()).toEqual(['mcp.json'])
  })

  it('that links lead to and that is still to come is written there, and the links stay', async () => {
    await using folder = await createFolder()
    const place = (name: string) => join(folder.path, name)
    await symlink('next.json', place('mcp.json'))
    await symlink('kept/mcp.json', place('next.json'))
    expect(await replace(await look(place('mcp.json')), '{}')).toBeUndefined()
    expect(await folder.read('kept/mcp.json')).toBe('{}')
    expect(await folder.read('mcp.json')).toBe('{}')
    expect((await lstat(place('mcp.json'))).isSymbolicLink()).toBe(true)
    expect(await folder.files()).toEqual(['kept/mcp.json', 'mcp.json', 'next.json'])
  })

  it.each(['mcp.json', 'sub/mcp.json'])('%s stays that of its owner, whoever installs', async (name) => {
    await using folder = await createFolder()
    // Who is no superuser can give nothing away, and keeps what is theirs.
    const owner = process.getuid?.() === 0 ? 4_321 : (process.getuid?.() ?? 0)
    await mkdir(join(folder.path, 'sub'))
    await chown(join(folder.path, 'sub'), owner, -1)
    await chown(await folder.write('mcp.json', '{}'), owner, -1)
    const file = join(folder.path, name)
    const backup = await replace(await look(file), '{"a":1}')
    const files = backup === undefined ? [file] : [file, backup]
    expect(await Promise.all(files.map(async (each) => (await stat(each)).uid))).toEqual(files.map(() => owner))
  })

  it('that is a device is not read: it might have no end', async () => {
    await expect(look('/dev/zero')).rejects.toThrow('it is a device: only a regular file is read')
  })

  it.each(['/proc/none/mcp.json', '/proc/none/deeper/mcp.json', '/dev/null/mcp.json'])(
    'is not written at %s, and nothing hangs',
    async (path) => {
      await expect(replace({ path, text: undefined, mode: 0o600 }, '{}')).rejects.toThrow()
    },
  )

  it('that came since then is left alone', async () => {
    await using folder = await createFolder()
    const seen = await look(join(folder.path, 'mcp.json'))
    await folder.write('mcp.json', '{"theirs":1}')
    await expect(replace(seen, '{"ours":1}')).rejects.toThrow('it has changed meanwhile')
    expect(await folder.read('mcp.json')).toBe('{"theirs":1}')
  })

  it('that two write at once is whole', async () => {
    await using folder = await createFolder()
    const seen = await look(await folder.write('mcp.json', '{}'))
    await Promise.allSettled([replace(seen, '{"a":1}'), replace(seen, '{"b":1}')])
    expect(['{"a":1}', '{"b":1}']).toContain(await folder.read('mcp.json'))
    expect((await folder.files()).filter((name) => !name.includes('backup'))).toEqual(['mcp.json'])
  })
})
