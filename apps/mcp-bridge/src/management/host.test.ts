import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { createFolder } from '../testing/folder.ts'
import { findPackage, findProgram, keepLoaders, readWorkerHost, toEnvironment, type WorkerHost } from './host.ts'

const host = (own: Partial<WorkerHost>): WorkerHost => ({ ...readWorkerHost({}), ...own })

describe('the environment of a worker', () => {
  it('has what is known to be harmless, and what it is given', () => {
    const env = { PATH: '/bin', HOME: '/home/me', GITHUB_TOKEN: 'x', NODE_OPTIONS: '--inspect', III_URL: 'ws://other' }
    expect(toEnvironment(host({ env }), { III_URL: 'ws://this' })).toEqual({
      PATH: '/bin',
      HOME: '/home/me',
      III_URL: 'ws://this',
    })
  })
})

describe('a program', () => {
  it('is looked for on the PATH, in its order', async () => {
    await using folder = await createFolder()
    const second = await folder.write('b/python3', '')
    await folder.write('c/python3', '')
    const env = { PATH: ['a', 'b', 'c'].map((name) => `${folder.path}/${name}`).join(':') }
    expect(findProgram(host({ env, platform: 'linux' }), ['python3'])).toBe(second)
    expect(findProgram(host({ env }), ['ruby'])).toBeUndefined()
    expect(findProgram(host({ env: {} }), ['python3'])).toBeUndefined()
  })
})

describe('a package', () => {
  it('is that of the server, or one that is installed where it was started', async () => {
    await using folder = await createFolder()
    await folder.write('node_modules/installed/package.json', '{}')
    await folder.write('node_modules/empty/readme.md', '')
    const here = host({ cwd: `${folder.path}/project` })
    expect(findPackage(here, '@iii/sdk')).toMatch(/node_modules\/@iii\/sdk$/)
    expect(findPackage(here, 'installed')).toBe(`${folder.path}/node_modules/installed`)
    expect(findPackage(here, 'empty')).toBeUndefined()
    expect(findPackage(here, 'fs')).toBeUndefined()
  })
})

describe('of the arguments of a Node', () => {
  it.each<[string[], string[]]>([
    [
      ['--conditions=@iii/source', '--import', 'file:///x/tsx/dist/loader.mjs', '--inspect'],
      ['--conditions=@iii/source', '--import=file:///x/tsx/dist/loader.mjs'],
    ],
    [
      ['-C', 'own', '--import=tsx/away', '--import=./lifeline.ts'],
      ['--conditions=own', '--import=tsx/away'],
    ],
    [['--import', 'data:text/javascript,1', '--max-old-space-size=64'], []],
    [['--import'], []],
  ])('%j a worker of the same sources needs %j', (all, kept) => {
    expect(keepLoaders(all, '/x')).toEqual(kept)
  })

  it('those that name a module of the folder that it was started in name it for every folder', async () => {
    await using folder = await createFolder()
    await folder.write('node_modules/tsx/package.json', '{ "exports": "./loader.mjs" }')
    const loader = await folder.write('node_modules/tsx/loader.mjs', '')
    for (const written of ['tsx', './node_modules/tsx/loader.mjs', loader])
      expect(keepLoaders(['--import', written], folder.path)).toEqual([`--import=${pathToFileURL(loader)}`])
  })
})
