import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { startMockEngine } from '@iii/mock-engine'
import { describe, expect, it } from 'vitest'
import { startRegistryStage } from '../testing/command.ts'
import { createFilledFolder } from '../testing/folder.ts'
import { createMemoryRegistry } from '../testing/memory-registry.ts'

const agentSkill = '---\nname: Orders\ndescription: All of them\n---\n# O\n'

describe('import of the folders of skills', () => {
  it('makes skills of the folders of skills that lie in others, each with its own files', async () => {
    const registry = createMemoryRegistry()
    await using stage = await startRegistryStage(startMockEngine, registry)
    await using folder = await createFilledFolder({
      'orders/SKILL.md': agentSkill,
      'orders/a.txt': 'a',
      'orders/deep/refunds/SKILL.md': agentSkill,
      'orders/deep/refunds/b.txt': 'b',
    })
    expect(await stage.run('import', folder.path)).toEqual({ code: 0, stdout: '2 new\n', stderr: '' })
    expect(registry.files.get('orders')).toEqual([{ path: 'a.txt', text: 'a' }])
    expect(registry.files.get('orders/deep/refunds')).toEqual([{ path: 'b.txt', text: 'b' }])
  })

  it('registers no skill of which a file is refused, and says which', async () => {
    const registry = createMemoryRegistry()
    await using stage = await startRegistryStage(startMockEngine, registry)
    await using outside = await createFilledFolder({ secret: 'secret' })
    await using folder = await createFilledFolder({
      'big/SKILL.md': agentSkill,
      'big/film.bin': Buffer.alloc(1_048_577),
      'fits/SKILL.md': agentSkill,
      'fits/film.bin': Buffer.alloc(1_048_576),
      'linked/SKILL.md': agentSkill,
      'many/SKILL.md': agentSkill,
      'odd/SKILL.md': agentSkill,
      'odd/a\\b.txt': '',
      ...Object.fromEntries(Array.from({ length: 512 }, (_, at) => [`many/${at}.txt`, ''])),
    })
    await symlink(join(outside.path, 'secret'), join(folder.path, 'linked/secret.txt'))
    const { code, stdout, stderr } = await stage.run('import', folder.path)
    expect([code, stdout]).toEqual([1, '1 new, 6 refused\n'])
    expect(stderr.split('\n').sort()).toEqual([
      '',
      'big/film.bin: has 1048577 bytes; at most 1048576 are read',
      'linked/SKILL.md: is not registered without linked/secret.txt, which was refused',
      'linked/secret.txt: is a symbolic link, which is not followed',
      'many/SKILL.md: has 512 files beside it; with it a skill has at most 512',
      'odd/SKILL.md: is not registered without odd/a\\b.txt, which was refused',
      expect.stringMatching(/^odd\/a\\b\.txt: file path .* has a backslash/),
    ])
    expect([...registry.skills.keys()]).toEqual(['fits'])
  })

  it('says how much in folders of skills is hidden and left alone, and names ten of it', async () => {
    const registry = createMemoryRegistry()
    await using stage = await startRegistryStage(startMockEngine, registry)
    const hidden = ['orders/.git/config', 'orders/.gitignore', 'orders/scripts/.env\u001B']
    await using folder = await createFilledFolder({
      'orders/SKILL.md': agentSkill,
      'orders/a.txt': 'a',
      '.git/config': '',
      ...Object.fromEntries(hidden.map((path) => [path, ''])),
    })
    const told = 'in folders of skills that are hidden (orders/.git, orders/.gitignore, '
    expect(await stage.run('import', folder.path)).toEqual({
      code: 0,
      stdout: '1 new\n',
      stderr: `left alone: 3 ${told}${String.raw`orders/scripts/.env\u{1b}`})\n`,
    })
    expect(registry.files.get('orders')).toEqual([{ path: 'a.txt', text: 'a' }])
    await folder.write(Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`orders/.${at}`, ''])))
    const { stdout, stderr } = await stage.run('import', folder.path)
    expect(stdout).toBe('1 unchanged\n')
    expect(stderr).toMatch(/^left alone: 13 .* \(orders\/\.0, .*, orders\/\.9, and 3 more\)\n$/)
  })

  it('takes no skill out of the folder of another one to where its links would break, and all once it is renamed', async () => {
    const registry = createMemoryRegistry()
    await using stage = await startRegistryStage(startMockEngine, registry)
    const toTree = (sub: string) => ({
      'orders/SKILL.md': `${agentSkill}[Inner](${sub}/inner/SKILL.md)\n`,
      [`orders/${sub}/Note.md`]: '[Inner](inner/SKILL.md)\r\n',
      [`orders/${sub}/inner/SKILL.md`]: `${agentSkill}[File](Data.TXT)\n`,
      [`orders/${sub}/inner/Data.TXT`]: 'b',
    })
    await using named = await createFilledFolder(toTree('Sub'))
    expect(await stage.run('import', named.path)).toEqual({
      code: 1,
      stdout: '1 new, 1 refused\n',
      stderr:
        'orders/Sub/inner/SKILL.md: would be exported to sub/inner in orders, where no link to Sub/inner leads: rename orders/Sub/inner to orders/sub/inner\n',
    })
    expect([...registry.skills.keys()]).toEqual(['orders'])
    await using renamed = await createFilledFolder(toTree('sub'))
    expect(await stage.run('import', renamed.path)).toMatchObject({ code: 0, stdout: '1 new, 1 changed\n' })
    await using other = await createFilledFolder()
    expect(await stage.run('export', other.path)).toMatchObject({ code: 0, stdout: '2 new\n' })
    expect(await other.read()).toEqual(toTree('sub'))
  })
})
