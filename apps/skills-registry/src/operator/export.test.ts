import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { startMockEngine } from '@iii/mock-engine'
import { describe, expect, it } from 'vitest'
import { startRegistryStage } from '../testing/command.ts'
import { createFilledFolder } from '../testing/folder.ts'
import { createMemoryRegistry } from '../testing/memory-registry.ts'

const agentSkill = '---\nname: Orders\ndescription: All of them\n---\n# O\n'

describe('export', () => {
  it('writes Agent Skills as folders and anything else as files, byte for byte', async () => {
    const plain = '\uFEFF# Limits\r\n\u0000😀'
    const skills = { orders: agentSkill, 'orders/references/limits': plain, 'a/skill': 'x', b: '---\nname: B\n---\n' }
    await using stage = await startRegistryStage(startMockEngine, createMemoryRegistry(skills))
    await using folder = await createFilledFolder()
    expect(await stage.run('export', join(folder.path, 'new/dir'))).toEqual({ code: 0, stdout: '4 new\n', stderr: '' })
    expect(await folder.read()).toEqual({
      'new/dir/orders/SKILL.md': agentSkill,
      // Beside a SKILL.md, limits.md would be a file of that skill.
      'new/dir/orders/references/limits/SKILL.md': plain,
      'new/dir/a/skill/SKILL.md': 'x',
      'new/dir/b.md': '---\nname: B\n---\n',
    })
  })

  it('leaves each skill in the file that it has, and other files alone', async () => {
    const registry = createMemoryRegistry({ orders: agentSkill, plain: 'p' })
    await using stage = await startRegistryStage(startMockEngine, registry)
    const files = { 'orders.md': agentSkill, 'plain/SKILL.md': 'p', 'gone.md': 'x', 'README.txt': 'y' }
    await using folder = await createFilledFolder(files)
    expect(await stage.run('export', folder.path)).toMatchObject({ code: 0, stdout: '2 unchanged\n' })
    registry.skills.set('plain', 'P')
    expect(await stage.run('export', folder.path, '--force')).toMatchObject({ stdout: '1 changed, 1 unchanged\n' })
    expect(await folder.read()).toEqual({ ...files, 'plain/SKILL.md': 'P' })
  })

  it('overwrites nothing without --force', async () => {
    await using stage = await startRegistryStage(startMockEngine, createMemoryRegistry({ a: 'new', b: 'b' }))
    await using folder = await createFilledFolder({ 'a.md': 'old' })
    expect(await stage.run('export', folder.path)).toEqual({
      code: 1,
      stdout: '1 new, 1 refused\n',
      stderr: 'a: a.md is there with other content; --force overwrites it\n',
    })
    expect(await folder.read()).toEqual({ 'a.md': 'old', 'b.md': 'b' })
    expect(await stage.run('export', folder.path, '--force')).toMatchObject({ code: 0 })
    expect(await folder.read()).toEqual({ 'a.md': 'new', 'b.md': 'b' })
  })

  it('writes nothing outside of the folder, whatever ids the store holds', async () => {
    const bad = ['../../up', '/etc/x', 'a/../../b', '..', 'C:\\x', 'a\u0000b', '.git/hooks/x', 'A', 'functions/x', '']
    const skills = Object.fromEntries([...bad, 'good'].map((id) => [id, 'x']))
    await using stage = await startRegistryStage(startMockEngine, createMemoryRegistry(skills))
    await using around = await createFilledFolder()
    const { code, stdout, stderr } = await stage.run('export', join(around.path, 'deep/folder'), '--force')
    expect([code, stdout]).toEqual([1, `1 new, ${bad.length} refused\n`])
    expect(stderr).toContain(String.raw`a\u{0}b: invalid id`)
    expect(await around.read()).toEqual({ 'deep/folder/good.md': 'x' })
  })

  it('follows no link that lies in the folder', async () => {
    await using stage = await startRegistryStage(startMockEngine, createMemoryRegistry({ a: 'new', 'b/c': 'new' }))
    await using outside = await createFilledFolder({ 'a.md': 'old' })
    await using folder = await createFilledFolder()
    await symlink(join(outside.path, 'a.md'), join(folder.path, 'a.md'))
    await symlink(outside.path, join(folder.path, 'b'))
    const { code, stderr } = await stage.run('export', folder.path, '--force')
    expect(code).toBe(1)
    expect(stderr.split('\n').sort()).toEqual([
      '',
      'a: is in the way at a.md: it is no regular file',
      'b/c: b is a symbolic link, which is not followed',
    ])
    expect(await outside.read()).toEqual({ 'a.md': 'old' })
  })

  it('refuses a file that would be one of another skill there', async () => {
    const registry = createMemoryRegistry({ orders: agentSkill, 'orders/limits': '# L', shop: agentSkill })
    registry.files.set('orders', [
      { path: 'a.txt', text: 'a' },
      { path: 'limits/rates.csv', text: 'of orders' },
    ])
    registry.files.set('orders/limits', [{ path: 'rates.csv', text: 'of limits' }])
    registry.files.set('shop', [{ path: 'gone/deep/b.txt', text: 'b' }])
    await using stage = await startRegistryStage(startMockEngine, registry)
    await using folder = await createFilledFolder({ 'shop/gone/SKILL.md': agentSkill })
    const { code, stdout, stderr } = await stage.run('export', folder.path, '--force')
    expect([code, stdout]).toEqual([1, '1 new, 2 refused\n'])
    expect(stderr.split('\n').sort()).toEqual([
      '',
      'orders/SKILL.md: file limits/rates.csv would be one of the skill orders/limits there: rename one of them',
      'shop/SKILL.md: file gone/deep/b.txt would be one of the skill shop/gone there: rename one of them',
    ])
    expect(await folder.read()).toEqual({
      'orders/SKILL.md': agentSkill,
      'orders/a.txt': 'a',
      'orders/limits/SKILL.md': '# L',
      'orders/limits/rates.csv': 'of limits',
      'shop/SKILL.md': agentSkill,
      'shop/gone/SKILL.md': agentSkill,
    })
  })

  it('writes the files of a skill beside it, and refuses what leads elsewhere or is hidden', async () => {
    const registry = createMemoryRegistry({ orders: 'o', plain: 'p' })
    const bad = ['../up', '/etc/x', 'a/../../b', '.git/config', 'deep/.env', 'a\\b', 'x/SKILL.md']
    const good = [
      { path: 'scripts/RUN.py', text: 'print()' },
      { path: 'logo.bin', base64: 'AP8=' },
    ]
    registry.files.set('orders', good)
    registry.files.set(
      'plain',
      bad.map((path) => ({ path, text: 'x' })),
    )
    await using stage = await startRegistryStage(startMockEngine, registry)
    await using around = await createFilledFolder()
    const { code, stdout, stderr } = await stage.run('export', join(around.path, 'deep/folder'), '--force')
    expect([code, stdout]).toEqual([1, '1 new, 1 refused\n'])
    expect(stderr).toMatch(/^plain\/SKILL\.md: file path "\.\.\/up" leads elsewhere.*\(and 6 more of its files\)\n$/)
    expect(await around.read()).toEqual({
      'deep/folder/orders/SKILL.md': 'o',
      'deep/folder/orders/scripts/RUN.py': 'print()',
      'deep/folder/orders/logo.bin': '\u0000\uFFFD',
      'deep/folder/plain/SKILL.md': 'p',
    })
  })

  it('overwrites no file of a skill without --force, and follows no link to one', async () => {
    const registry = createMemoryRegistry({ orders: 'o', linked: 'l', file: 'f' })
    for (const id of registry.skills.keys()) registry.files.set(id, [{ path: 'a.txt', text: 'new' }])
    await using stage = await startRegistryStage(startMockEngine, registry)
    await using outside = await createFilledFolder({ 'a.txt': 'old' })
    await using folder = await createFilledFolder({ 'orders/a.txt': 'old', 'linked/SKILL.md': 'l', 'file.md': 'f' })
    await symlink(join(outside.path, 'a.txt'), join(folder.path, 'linked/a.txt'))
    const { code, stderr } = await stage.run('export', folder.path)
    expect(code).toBe(1)
    expect(stderr.split('\n').sort()).toEqual([
      '',
      'file: it has files, and file.md is in the way: move it to file/SKILL.md',
      'linked/SKILL.md: is in the way at linked/a.txt: it is no regular file',
      'orders/SKILL.md: orders/a.txt is there with other content; --force overwrites it',
    ])
    expect(await outside.read()).toEqual({ 'a.txt': 'old' })
    await stage.run('export', folder.path, '--force')
    expect(await folder.read()).toMatchObject({ 'orders/a.txt': 'new' })
    expect(await outside.read()).toEqual({ 'a.txt': 'old' })
  })

  it('does not choose between two files of one skill, nor between a file and a folder', async () => {
    await using stage = await startRegistryStage(startMockEngine, createMemoryRegistry({ a: 'x', b: 'x' }))
    await using folder = await createFilledFolder({ 'a.md': 'x', 'a/SKILL.md': 'x' })
    await mkdir(join(folder.path, 'b.md'))
    const { stderr } = await stage.run('export', folder.path, '--force')
    expect(stderr.split('\n').sort()).toEqual([
      '',
      'a: a.md and a/SKILL.md are both there; keep one of them',
      'b: is in the way at b.md: it is no regular file',
    ])
  })

  it('only says what it would do when it is asked to', async () => {
    await using stage = await startRegistryStage(startMockEngine, createMemoryRegistry({ a: 'new' }))
    await using folder = await createFilledFolder()
    const { code, stdout } = await stage.run('export', join(folder.path, 'x'), '--dry-run')
    expect([code, stdout]).toEqual([0, 'new a.md\n1 new (dry run: nothing was done)\n'])
    await folder.write({ 'x/a.md': 'old' })
    expect((await stage.run('export', join(folder.path, 'x'), '--dry-run', '--force')).stdout).toContain('changed a.md')
    expect(await folder.read()).toEqual({ 'x/a.md': 'old' })
  })

  it('is no success when the registry lists only a part', async () => {
    const registry = createMemoryRegistry({ a: 'x' })
    registry.leftOut = 3
    await using stage = await startRegistryStage(startMockEngine, registry)
    await using folder = await createFilledFolder()
    expect(await stage.run('export', folder.path)).toEqual({
      code: 1,
      stdout: '1 new, 1 failed\n',
      stderr: 'skills: the registry has 3 more than it lists: they are not exported\n',
    })
  })

  it('needs a folder', async () => {
    await using stage = await startRegistryStage(startMockEngine, createMemoryRegistry({ a: 'x' }))
    await using folder = await createFilledFolder({ file: '' })
    const { code, stderr } = await stage.run('export', join(folder.path, 'file'))
    expect([code, stderr]).toEqual([2, expect.stringContaining('file is no folder')])
    expect((await stage.run('export', join(folder.path, 'file', 'x'))).code).toBe(1)
  })

  it('says at once where no folder can be made', async () => {
    await using stage = await startRegistryStage(startMockEngine, createMemoryRegistry({ a: 'x' }))
    for (const dir of ['/proc/none', '/proc/none/deeper', '/dev/null/x']) {
      const { code, stderr } = await stage.run('export', dir)
      expect([code, stderr]).toEqual([1, expect.stringMatching(/^iii-skills: \/(?:proc|dev)\/.*: \S.*\n$/)])
    }
    await using folder = await createFilledFolder({})
    await symlink('nowhere', join(folder.path, 'link'))
    const { code, stderr } = await stage.run('export', join(folder.path, 'link'))
    expect([code, stderr]).toEqual([1, expect.stringContaining('a symbolic link there leads nowhere')])
  })
})
