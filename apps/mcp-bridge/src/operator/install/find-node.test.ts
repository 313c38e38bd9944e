import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createFolder } from '../../testing/folder.ts'
import { readOperatorHost } from '../host.ts'
import { findNode, findNpx } from './find-node.ts'

/** A Node in a folder with its version in the path, as packagers and version managers have it. */
async function startStage() {
  const folder = await createFolder()
  const node = await folder.write('versions/22.1.0/bin/node', '')
  async function link(name: string, target: string): Promise<string> {
    await mkdir(join(folder.path, name, '..'), { recursive: true })
    await symlink(target, join(folder.path, name))
    return join(folder.path, name)
  }
  const at = (...folders: string[]) => folders.map((name) => join(folder.path, name)).join(':')
  const on = (PATH: string, env = {}) => ({
    ...readOperatorHost({}),
    node,
    platform: 'linux' as const,
    env: { PATH, ...env },
  })
  return { ...folder, node, link, at, on }
}

describe('the path of Node', () => {
  it('is the link on the PATH that stays when Node is updated', async () => {
    await using stage = await startStage()
    await stage.write('other/node', '')
    const stable = await stage.link('opt/node', stage.node)
    expect(findNode(stage.on(stage.at('none', 'other', 'opt')), [])).toBe(stable)
  })

  it('is its own where a link is there for one shell only, or no link leads to it', async () => {
    await using stage = await startStage()
    await stage.link('run/shell-1/node', stage.node)
    await stage.link('x/node_modules/.bin/node', stage.node)
    const path = stage.at('run/shell-1', 'x/node_modules/.bin')
    expect(findNode(stage.on(path, { XDG_RUNTIME_DIR: join(stage.path, 'run') }), [])).toBe(stage.node)
    expect(findNode(stage.on(`:relative:${stage.at('none')}`), [])).toBe(stage.node)
  })
})

describe('npx', () => {
  it('is the one that came with this Node', async () => {
    await using stage = await startStage()
    const own = await stage.write('versions/22.1.0/lib/node_modules/npm/bin/npx-cli.js', '')
    expect(findNpx(stage.on(''))).toBe(own)
  })

  it('may be elsewhere on the PATH', async () => {
    await using stage = await startStage()
    const packaged = await stage.write('share/npm/bin/npx-cli.js', '')
    await stage.link('bin/npx', packaged)
    await stage.write('strange/npx', '')
    expect(findNpx(stage.on(stage.at('strange', 'bin')))).toBe(packaged)
    expect(findNpx(stage.on(stage.at('strange')))).toBeUndefined()
  })
})
