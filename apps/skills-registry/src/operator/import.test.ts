import { symlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { startMockEngine } from '@iii/mock-engine'
import { Fault } from '@iii/protocol'
import { describe, expect, it } from 'vitest'
import { startRegistryStage } from '../testing/command.ts'
import { createFilledFolder } from '../testing/folder.ts'
import { createMemoryRegistry } from '../testing/memory-registry.ts'

const agentSkill = '---\nname: Orders\ndescription: All of them\n---\n# O\n'

describe('import', () => {
  it('registers Agent Skills with all that lies beside them, and plain markdown', async () => {
    const registry = createMemoryRegistry()
    await using stage = await startRegistryStage(startMockEngine, registry)
    await using folder = await createFilledFolder({
      'orders/SKILL.md': agentSkill,
      'orders/references/limits.md': '# Limits',
      'orders/references/LIMITS.md': '',
      'orders/scripts/run.py': 'print()',
      'orders/.env': 'SECRET=1',
      'orders/logo.png': Buffer.from([0x89, 0x50, 0xff]),
      'billing.md': '# Billing',
      'logo.svg': '<svg/>',
    })
    expect(await stage.run('import', folder.path)).toEqual({
      code: 0,
      stdout: '2 new\n',
      stderr:
        'left alone: 1 file that is no markdown\nleft alone: 1 in folders of skills that is hidden (orders/.env)\n',
    })
    expect(Object.fromEntries(registry.skills)).toEqual({ orders: agentSkill, billing: '# Billing' })
    expect(registry.files.get('orders')).toEqual([
      { path: 'logo.png', base64: 'iVD/' },
      { path: 'references/LIMITS.md', text: '' },
      { path: 'references/limits.md', text: '# Limits' },
      { path: 'scripts/run.py', text: 'print()' },
    ])
    expect((await stage.run('import', folder.path)).stdout).toBe('2 unchanged\n')
    await folder.write({ 'orders/scripts/run.py': 'print(1)' })
    expect((await stage.run('import', folder.path)).stdout).toBe('1 changed, 1 unchanged\n')
    expect(registry.files.get('orders')).toContainEqual({ path: 'scripts/run.py', text: 'print(1)' })
  })

  it('takes names as people write them, says so, and exports to the same files', async () => {
    const registry = createMemoryRegistry()
    await using stage = await startRegistryStage(startMockEngine, registry)
    const files = {
      'README.md': '# All',
      'PDF Tools/SKILL.md': agentSkill,
      'PDF Tools/references/FORMS.md': '# Forms',
      'plain.md': 'x',
    }
    await using folder = await createFilledFolder(files)
    expect(await stage.run('import', folder.path)).toEqual({
      code: 0,
      stdout: '3 new\n',
      stderr: 'not called like their ids: 2 files (PDF Tools/SKILL.md is pdf-tools)\n',
    })
    expect([...registry.skills.keys()].sort()).toEqual(['pdf-tools', 'plain', 'readme'])
    expect(await stage.run('export', folder.path)).toEqual({ code: 0, stdout: '3 unchanged\n', stderr: '' })
    registry.files.set('pdf-tools', [{ path: 'references/FORMS.md', text: '# New forms' }])
    expect((await stage.run('export', folder.path, '--force')).stdout).toBe('1 changed, 2 unchanged\n')
    expect(await folder.read()).toEqual({ ...files, 'PDF Tools/references/FORMS.md': '# New forms' })
  })

  it('does not choose between two files of one skill, however they are spelled', async () => {
    const registry = createMemoryRegistry()
    await using stage = await startRegistryStage(startMockEngine, registry)
    await using folder = await createFilledFolder({ 'a-b.md': '1', 'A B.md': '2', 'c.md': '3' })
    const { code, stdout, stderr } = await stage.run('import', folder.path)
    expect([code, stdout]).toEqual([1, '1 new, 2 refused\n'])
    expect(stderr).toContain('A B.md: is the skill a-b, and so is a-b.md: keep one of them\n')
    registry.skills.set('a-b', '4')
    expect(await stage.run('export', folder.path, '--force')).toMatchObject({
      code: 1,
      stderr: 'a-b: A B.md and a-b.md are both there; keep one of them\n',
    })
  })

  it('registers nothing again that is there in the same words', async () => {
    const registry = createMemoryRegistry({ same: 'abc', size: 'abc', longer: 'abcd', elsewhere: 'x' })
    await using stage = await startRegistryStage(startMockEngine, registry)
    await using folder = await createFilledFolder({
      'same.md': 'abc',
      'size.md': 'abd',
      'longer.md': 'abc',
      'new.md': 'n',
    })
    const { code, stdout } = await stage.run('import', folder.path, '--json')
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual({
      dry_run: false,
      new: ['new'],
      changed: ['longer', 'size'],
      removed: [],
      unchanged: ['same'],
      missing: [],
      refused: [],
      failed: [],
    })
    const registered = registry.calls.filter((call) => call.startsWith('skills::register ')).sort()
    expect(registered).toEqual(['skills::register longer', 'skills::register new', 'skills::register size'])
  })

  it('compares with skills that the registry has and does not list', async () => {
    const registry = createMemoryRegistry({ same: 'abc', other: 'abc' })
    registry.hidden.add('same').add('other')
    await using stage = await startRegistryStage(startMockEngine, registry)
    await using folder = await createFilledFolder({ 'same.md': 'abc', 'other.md': 'abd', 'new.md': 'n' })
    expect((await stage.run('import', folder.path)).stdout).toBe('1 new, 1 changed, 1 unchanged\n')
  })

  it('names every file that cannot be a skill, says what would be right, and goes on', async () => {
    const registry = createMemoryRegistry()
    await using stage = await startRegistryStage(startMockEngine, registry)
    await using outside = await createFilledFolder({ 'secret.md': 'secret' })
    await using folder = await createFilledFolder({
      'Orders+/SKILL.md': 'x',
      'big.md': 'x'.repeat(262_145),
      'binary.md': Buffer.from([0xff]),
      'empty.md': '',
      'good.md': 'good',
      'twin.md': '1',
      'twin/SKILL.md': '2',
    })
    await symlink(join(outside.path, 'secret.md'), join(folder.path, 'secret.md'))
    const { code, stdout, stderr } = await stage.run('import', folder.path)
    expect([code, stdout]).toEqual([1, '1 new, 7 refused\n'])
    expect(stderr.split('\n').sort()).toEqual([
      '',
      expect.stringMatching(/^Orders\+\/SKILL\.md: invalid id .*; call it orders\/SKILL\.md$/),
      'big.md: has 262145 bytes; at most 262144 are read',
      'binary.md: is not text in UTF-8',
      'empty.md: is empty',
      'secret.md: is a symbolic link, which is not followed',
      'twin.md: is the skill twin, and so is twin/SKILL.md: keep one of them',
      'twin/SKILL.md: is the skill twin, and so is twin.md: keep one of them',
    ])
    expect(Object.fromEntries(registry.skills)).toEqual({ good: 'good' })
  })

  it('goes on when the registry refuses one', async () => {
    const registry = createMemoryRegistry()
    registry.before = (call) => {
      if (call === 'skills::register a') throw new Fault('forbidden', 'a belongs to orders')
    }
    await using stage = await startRegistryStage(startMockEngine, registry)
    await using folder = await createFilledFolder({ 'a.md': '1', 'b.md': '2' })
    expect(await stage.run('import', folder.path)).toEqual({
      code: 1,
      stdout: '1 new, 1 failed\n',
      stderr: 'a.md: a belongs to orders\n',
    })
  })

  it('only says what it would do when it is asked to', async () => {
    const registry = createMemoryRegistry({ a: '0', 'a/old': '1' })
    await using stage = await startRegistryStage(startMockEngine, registry)
    await using folder = await createFilledFolder({ 'a.md': '1', 'b.md': '2' })
    const { stdout } = await stage.run('import', folder.path, '--dry-run', '--prune')
    expect(stdout.split('\n').sort()).toEqual([
      '',
      '1 new, 1 changed, 1 removed (dry run: nothing was done)',
      'changed a',
      'new b',
      'removed a/old',
    ])
    expect(Object.fromEntries(registry.skills)).toEqual({ a: '0', 'a/old': '1' })
  })

  it('calls the registry a bounded number of times at once', async () => {
    const registry = createMemoryRegistry()
    await using stage = await startRegistryStage(startMockEngine, registry)
    const files = Array.from({ length: 300 }, (_, at) => [`f${at % 7}/n${at}.md`, `# ${at}`] as const)
    await using folder = await createFilledFolder(Object.fromEntries(files))
    registry.before = () => new Promise(setImmediate)
    expect((await stage.run('import', folder.path)).stdout).toBe('300 new\n')
    expect((await stage.run('import', folder.path)).stdout).toBe('300 unchanged\n')
    expect(registry.peak).toBeGreaterThan(1)
    expect(registry.peak).toBeLessThanOrEqual(16)
  })

  it('says where there is nothing to import from', async () => {
    await using stage = await startRegistryStage(startMockEngine, createMemoryRegistry())
    await using folder = await createFilledFolder({ 'file.txt': '' })
    const inside = (name: string) => stage.run('import', join(folder.path, name))
    expect(await inside('none')).toMatchObject({ code: 3, stderr: expect.stringContaining('none: is not there') })
    expect(await inside('file.txt')).toMatchObject({ code: 2, stderr: expect.stringContaining('is no folder') })
    await using empty = await createFilledFolder()
    expect(await stage.run('import', empty.path)).toMatchObject({
      code: 0,
      stdout: `no markdown files in ${empty.path}\n`,
    })
  })

  it('follows the name it was given, even where that is a link', async () => {
    const registry = createMemoryRegistry()
    await using stage = await startRegistryStage(startMockEngine, registry)
    await using folder = await createFilledFolder({ 'a.md': 'x' })
    await using links = await createFilledFolder()
    await symlink(folder.path, join(links.path, 'link'))
    expect(await stage.run('import', join(links.path, 'link'))).toMatchObject({ code: 0, stdout: '1 new\n' })
    expect(await stage.run('import', `${folder.path}/../${basename(folder.path)}`)).toMatchObject({
      stdout: '1 unchanged\n',
    })
  })
})

describe('import --prune', () => {
  const stored = { orders: 'o', 'orders/old': 'x', 'orders/sub/old': 'y', billing: 'b', 'orders-old': 'z' }

  it('removes what the folder no longer has, below the roots that it has', async () => {
    const registry = createMemoryRegistry(stored)
    await using stage = await startRegistryStage(startMockEngine, registry)
    await using folder = await createFilledFolder({ 'orders.md': 'o', 'orders/new.md': 'n' })
    expect(await stage.run('import', folder.path, '--prune')).toEqual({
      code: 0,
      stdout: '1 new, 2 removed, 1 unchanged\n',
      stderr: '',
    })
    expect([...registry.skills.keys()].sort()).toEqual(['billing', 'orders', 'orders-old', 'orders/new'])
  })

  it('removes nothing without the flag, nothing when a file was refused, and nothing for an empty folder', async () => {
    const registry = createMemoryRegistry(stored)
    await using stage = await startRegistryStage(startMockEngine, registry)
    await using folder = await createFilledFolder({ 'orders.md': 'o' })
    expect((await stage.run('import', folder.path)).stdout).toBe('1 unchanged\n')
    await folder.write({ 'orders/old.md': '' })
    expect(await stage.run('import', folder.path, '--prune')).toEqual({
      code: 1,
      stdout: '1 unchanged, 1 refused\n',
      stderr: 'orders/old.md: is empty\nnothing is pruned, because not everything was imported\n',
    })
    await using empty = await createFilledFolder()
    await stage.run('import', empty.path, '--prune')
    expect(registry.skills.size).toBe(5)
  })
})
