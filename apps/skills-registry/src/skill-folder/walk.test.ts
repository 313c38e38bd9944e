import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createFilledFolder } from '../testing/folder.ts'
import { walkFolder } from './walk.ts'

const LINK = 'is a symbolic link, which is not followed'

describe('a folder of skills', () => {
  it('is read at every depth, in the order of the paths', async () => {
    await using folder = await createFilledFolder({
      'orders/SKILL.md': '',
      'orders/references/limits.md': '',
      'orders/scripts/run.py': '',
      'billing.md': '',
      '.git/config.md': '',
      'orders/.draft.md': '',
      'orders/.git/config': '',
      'orders/scripts/.env.example': '',
      'billing/.draft.md': '',
      'logo.png': '',
    })
    expect(await walkFolder(folder.path)).toEqual({
      files: [
        { id: 'billing', path: 'billing.md' },
        { id: 'orders', path: 'orders/SKILL.md', files: ['references/limits.md', 'scripts/run.py'] },
      ],
      refused: [],
      others: 1,
      hidden: ['orders/.draft.md', 'orders/.git', 'orders/scripts/.env.example'],
    })
  })

  it('may hold nothing', async () => {
    await using folder = await createFilledFolder()
    expect(await walkFolder(folder.path)).toEqual({ files: [], refused: [], others: 0, hidden: [] })
  })

  it('refuses links, not even looking at where they lead', async () => {
    await using outside = await createFilledFolder({ 'secret.md': '', 'skills/a.md': '' })
    await using folder = await createFilledFolder({ 'real.md': '' })
    await symlink(join(outside.path, 'secret.md'), join(folder.path, 'secret.md'))
    await symlink(join(outside.path, 'skills'), join(folder.path, 'skills-of-others'))
    await symlink(folder.path, join(folder.path, 'round'))
    await symlink('/nowhere', join(folder.path, 'logo.png'))
    expect(await walkFolder(folder.path)).toEqual({
      files: [{ id: 'real', path: 'real.md' }],
      refused: ['round', 'secret.md', 'skills-of-others'].map((path) => ({ path, reason: LINK })),
      others: 1,
      hidden: [],
    })
  })

  it('refuses what is no file, and two files for one skill', async () => {
    await using folder = await createFilledFolder({ 'a.md': '', 'a/SKILL.md': '' })
    folder.pipe('pipe.md')
    await mkdir(join(folder.path, 'folder.md'))
    expect((await walkFolder(folder.path)).refused).toEqual([
      { path: 'a.md', reason: 'is the skill a, and so is a/SKILL.md: keep one of them' },
      { path: 'a/SKILL.md', reason: 'is the skill a, and so is a.md: keep one of them' },
      { path: 'pipe.md', reason: 'is no regular file' },
    ])
  })

  it('refuses skills in the folder of another one that are not called like their ids, and says how to call them', async () => {
    await using folder = await createFilledFolder({
      'Shop/SKILL.md': '',
      'Shop/Returns/SKILL.md': '',
      'Shop/Returns/late/SKILL.md': '',
      'Shop/my notes/a.md': '',
      'Shop/my notes/own/SKILL.md': '',
      'Shop/plain/SKILL.md': '',
      'Shop/plain/Deep.er/SKILL.md': '',
      'Team/Orders/SKILL.md': '',
    })
    const { files, refused } = await walkFolder(folder.path)
    expect(files).toEqual([
      { id: 'shop', path: 'Shop/SKILL.md', files: ['my notes/a.md'] },
      { id: 'shop/plain', path: 'Shop/plain/SKILL.md', files: [] },
      { id: 'team/orders', path: 'Team/Orders/SKILL.md', files: [] },
    ])
    const rename = (from: string, to: string) => ({
      path: `Shop/${from}/SKILL.md`,
      reason: `would be exported to ${to} in Shop, where no link to ${from} leads: rename Shop/${from} to Shop/${to}`,
    })
    expect(refused).toEqual([
      rename('Returns', 'returns'),
      rename('Returns/late', 'returns/late'),
      rename('my notes/own', 'my-notes/own'),
      rename('plain/Deep.er', 'plain/deep-er'),
    ])
  })

  it('says which part of it cannot be read', async () => {
    await using folder = await createFilledFolder({ 'a.md': '' })
    // Root may read everything: a name that is too long for the system fails for everybody.
    const { refused } = await walkFolder(join(folder.path, 'x'.repeat(300)))
    expect(refused).toEqual([{ path: '.', reason: 'the path is too long for this file system' }])
  })
})
