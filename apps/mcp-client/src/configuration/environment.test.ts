import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readEnvironment } from './environment.ts'
import type { EnvironmentSource } from './server-config.ts'

const own = {
  PATH: '/bin',
  HOME: '/home/me',
  LC_ALL: 'C',
  LANG: 'en',
  III_URL: 'ws://user:pw@engine',
  SECRET: 'hunter2',
  HTTPS_PROXY: 'http://proxy',
  'BASH_FUNC_x%%': '() { :; }',
  TZ: '() { echo; }',
  GH_TOKEN: 'gh-hunter2',
  EMPTY: '',
}

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'iii-secrets-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function secretFile(text: string | Uint8Array, mode = 0o600): Promise<EnvironmentSource> {
  const path = join(folder, `secret-${Math.random()}`)
  await writeFile(path, text)
  await chmod(path, mode)
  return { kind: 'file', path }
}

const create = (
  set: Record<string, EnvironmentSource>,
  { inherit = [] as string[], platform = 'linux' as NodeJS.Platform, env = own as Record<string, string> } = {},
) => readEnvironment({ inherit, set: new Map(Object.entries(set)) }, { env, platform })

describe('the environment of a server', () => {
  it('is built from nothing: the base, what is inherited, what is set', async () => {
    expect(
      await create({ HOME: { kind: 'value', value: '/x' } }, { inherit: ['HTTPS_PROXY', 'III_URL', 'NOBODY'] }),
    ).toEqual({
      variables: { PATH: '/bin', HOME: '/x', LC_ALL: 'C', LANG: 'en', HTTPS_PROXY: 'http://proxy' },
      secrets: [],
    })
  })

  it('takes no notice of case on Windows', async () => {
    const env = { Path: 'C:\\bin', SystemRoot: 'C:\\Windows', iii_url: 'x', Proxy: 'p', home: 'h' }
    const made = await create(
      { PATH: { kind: 'value', value: 'D:\\' } },
      { inherit: ['PROXY'], platform: 'win32', env },
    )
    expect(made).toEqual({ variables: { PATH: 'D:\\', SystemRoot: 'C:\\Windows', Proxy: 'p' }, secrets: [] })
  })

  it('has secrets by reference, and tells what must not be shown', async () => {
    const made = await create({
      TOKEN: { kind: 'env', name: 'GH_TOKEN' },
      KEY: await secretFile('two\nlines\r\n'),
      DB_PASSWORD: { kind: 'value', value: 'in-the-file' },
      LEVEL: { kind: 'value', value: 'info' },
    })
    expect(made).toMatchObject({
      variables: { TOKEN: 'gh-hunter2', KEY: 'two\nlines', DB_PASSWORD: 'in-the-file', LEVEL: 'info' },
      secrets: ['gh-hunter2', 'two\nlines', 'in-the-file'],
    })
  })

  it('inherits secrets, which must not be shown either', async () => {
    const env = {
      GITHUB_TOKEN: 'gh-inherited',
      HTTPS_PROXY: 'http://me:hunter2@proxy:8080',
      EDITOR: 'vi',
      PATH: '/bin',
    }
    const made = await create({}, { inherit: ['GITHUB_TOKEN', 'HTTPS_PROXY', 'EDITOR'], env })
    expect(made).toEqual({
      variables: env,
      secrets: ['gh-inherited', 'http://me:hunter2@proxy:8080', 'me:hunter2', 'hunter2'],
    })
  })

  it.each<[string, () => Promise<EnvironmentSource>, RegExp]>([
    ['is not set', async () => ({ kind: 'env', name: 'NOBODY' }), /^env.set.A: this worker has no variable NOBODY/],
    ['is empty', async () => ({ kind: 'env', name: 'EMPTY' }), /no variable EMPTY, or it is empty/],
    [
      'is in no file',
      async () => ({ kind: 'file', path: join(folder, 'nobody') }),
      /^env.set.A: its file is not there/,
    ],
    ['is in a folder', async () => ({ kind: 'file', path: folder }), /its file is a folder/],
    ['is in a file that others read', () => secretFile('hunter2', 0o640), /\(mode 0640\): chmod 600 it$/],
    ['is in a file that others write', () => secretFile('hunter2', 0o602), /\(mode 0602\)/],
    ['is in a file that is too large', () => secretFile('hunter2'.repeat(10_000)), /has 70000 bytes; at most 65536/],
    ['is in an empty file', () => secretFile('\n'), /its file is empty$/],
    ['is in a binary file', () => secretFile(Buffer.from([0xff, 0xfe])), /no text in UTF-8$/],
    ['has a NUL character', () => secretFile('hunter2\0'), /NUL character/],
  ])('is not there when a secret %s, and nothing tells the secret or where it lies', async (_, source, text) => {
    const made = await create({ A: await source() })
    expect(made).toEqual({
      problem: { code: 'secret_missing', subject: 'env.set.A', message: expect.stringMatching(text) },
    })
    expect(JSON.stringify(made)).not.toMatch(/hunter2|iii-secrets/)
  })

  it('tells all that is missing at once', async () => {
    const made = await create({ A: { kind: 'env', name: 'NO_A' }, B: { kind: 'env', name: 'NO_B' } })
    expect(made).toMatchObject({ problem: { message: expect.stringMatching(/NO_A.*; env.set.B: .*NO_B/) } })
  })

  it('has variables of any name', async () => {
    const made = await readEnvironment(
      { inherit: [], set: new Map([['__proto__', { kind: 'value', value: 'x' }]]) },
      { env: {}, platform: 'linux' },
    )
    expect('variables' in made && Object.entries(made.variables)).toEqual([['__proto__', 'x']])
  })
})
