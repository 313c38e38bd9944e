import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { startMockEngine } from '@iii/mock-engine'
import { describe, expect, it, vi } from 'vitest'
import { startRegistryStage } from '../testing/command.ts'
import { createFilledFolder } from '../testing/folder.ts'
import { createMemoryRegistry } from '../testing/memory-registry.ts'

const agentSkill = '---\nname: orders\ndescription: All of them\n---\n[Limits](references/LIMITS.md)\n'

const tree = {
  'orders/SKILL.md': agentSkill,
  'orders/references/LIMITS.md': '# Limits\r\n',
  'orders/refunds/SKILL.md': agentSkill,
  'orders/refunds/run.sh': 'exit 0\n',
}

describe('import of the folder of one skill', () => {
  it('takes its name for the id, nothing that lies beside it, and exports to the same files', async () => {
    const registry = createMemoryRegistry()
    await using stage = await startRegistryStage(startMockEngine, registry)
    await using folder = await createFilledFolder({ ...tree, 'billing.md': '# B', 'orders.txt': '' })
    expect(await stage.run('import', join(folder.path, 'orders'))).toEqual({ code: 0, stdout: '2 new\n', stderr: '' })
    expect([...registry.skills.keys()].sort()).toEqual(['orders', 'orders/refunds'])
    expect(registry.files.get('orders')).toEqual([{ path: 'references/LIMITS.md', text: '# Limits\r\n' }])
    await using other = await createFilledFolder()
    expect(await stage.run('export', other.path)).toMatchObject({ code: 0, stdout: '2 new\n' })
    expect(await other.read()).toEqual(tree)
  })

  it('finds the name where the folder is called otherwise: a dot, a link', async () => {
    const registry = createMemoryRegistry()
    await using stage = await startRegistryStage(startMockEngine, registry)
    await using folder = await createFilledFolder({ 'PDF Tools/SKILL.md': agentSkill })
    const inside = join(folder.path, 'PDF Tools')
    using cwd = vi.spyOn(process, 'cwd').mockReturnValue(inside)
    expect(await stage.run('import', '.')).toEqual({
      code: 0,
      stdout: '1 new\n',
      stderr: 'not called like their ids: 1 file (PDF Tools/SKILL.md is pdf-tools)\n',
    })
    expect(cwd).toHaveBeenCalled()
    await symlink(inside, join(folder.path, 'link'))
    expect(await stage.run('import', join(folder.path, 'link'))).toMatchObject({ code: 0, stdout: '1 unchanged\n' })
    expect([...registry.skills.keys()]).toEqual(['pdf-tools'])
  })

  it('removes with --prune what is below that skill alone', async () => {
    const registry = createMemoryRegistry({ 'orders/old': 'x', billing: 'b' })
    await using stage = await startRegistryStage(startMockEngine, registry)
    await using folder = await createFilledFolder(tree)
    const { stdout } = await stage.run('import', join(folder.path, 'orders'), '--prune')
    expect(stdout).toBe('2 new, 1 removed\n')
    expect([...registry.skills.keys()].sort()).toEqual(['billing', 'orders', 'orders/refunds'])
  })

  it('refuses a name that is no id with one that would be, and a text that is a link', async () => {
    const registry = createMemoryRegistry()
    await using stage = await startRegistryStage(startMockEngine, registry)
    await using folder = await createFilledFolder({ 'C++/SKILL.md': agentSkill, 'linked/references/a.md': '# A' })
    expect(await stage.run('import', join(folder.path, 'C++'))).toMatchObject({
      code: 1,
      stdout: '1 refused\n',
      stderr: expect.stringMatching(/^C\+\+\/SKILL\.md: invalid id .*; call it c\/SKILL\.md\n$/),
    })
    await symlink(join(folder.path, 'C++/SKILL.md'), join(folder.path, 'linked/SKILL.md'))
    expect(await stage.run('import', join(folder.path, 'linked'))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('linked: its SKILL.md is a symbolic link, which is not followed'),
    })
    expect(registry.skills.size).toBe(0)
  })
})
