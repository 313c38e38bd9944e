import { createLog } from '@iii/sdk'
import { startSettings } from '@iii/sdk/cli'
import { describe, expect, it } from 'vitest'
import { AuthBlock } from '../../auth/settings/auth-block.ts'
import { createToken, toDigest } from '../../auth/token.ts'
import { bridgeOptions, findConflict } from '../../options.ts'
import { runCommand } from '../../testing/command.ts'
import { createFolder } from '../../testing/folder.ts'

const pipe = (input: string, ...words: string[]) =>
  runCommand(['token', 'hash', ...words], { host: { readInput: async () => input } })

describe('token create', () => {
  it('prints a token alone on stdout, and the block that lets it in on stderr', async () => {
    const { code, stdout, stderr } = await runCommand(['token', 'create', 'ci', '--grant', 'ops'])
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^iii_[A-Za-z0-9_-]{43}_[0-9a-f]{8}\n$/)])
    const token = stdout.trim()
    expect(stderr).toContain(`    - { name: "ci", hash: ["${toDigest(token)}"], grant: "ops" }`)
    expect(stderr).toContain('  grants:\n    "ops": {}')
    expect(stderr).toContain('{} is all of that but functions that ask for a scope')
    expect(stderr).not.toContain(token)
  })

  it('has on stderr what may be kept as the configuration file as it is', async () => {
    const { stderr } = await runCommand(['token', 'create', 'ci'])
    const lines = stderr.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
    expect([lines[0], lines.slice(1).filter((line) => !line.startsWith('  '))]).toEqual(['auth:', []])
  })

  // What YAML takes for a number, for true or for nothing.
  it.each(['2024', '007', '1e3', '12.5', '0x1F', 'true', 'null'])('has the name %s as a text there', async (name) => {
    await using folder = await createFolder()
    const { stderr } = await runCommand(['token', 'create', name, '--grant', name])
    const file = await folder.write('mcp.yaml', stderr)
    const settings = startSettings(
      { options: bridgeOptions, findConflict },
      { fixed: new Map(), file },
      createLog({ name: 'test', level: 'silent' }),
    )
    settings.stop()
    expect([settings.locked, settings.value.auth?.tokens[0]]).toMatchObject([undefined, { name, grant: name }])
  })

  it('refuses a grant whose name means that there is none', async () => {
    const { code, stdout, stderr } = await runCommand(['token', 'create', 'ci', '--grant', 'deny'])
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining('--grant must have another name')])
  })

  it('prints both as JSON for a script', async () => {
    const { stdout } = await runCommand(['token', 'create', 'ci', '--json'])
    const { token, entry } = JSON.parse(stdout)
    expect(entry).toEqual({ name: 'ci', hash: [toDigest(token)], grant: 'all' })
    expect(AuthBlock.safeParse({ tokens: [entry], grants: { all: {} } }).success).toBe(true)
  })

  it.each([['c i'], ['-'], ['ä'], ['a'.repeat(65)]])('refuses the name %j', async (name) => {
    const { code, stdout, stderr } = await runCommand(['token', 'create', '--', name])
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain('NAME must be 1 to 64 letters, digits')
  })
})

describe('token hash', () => {
  it.each(['', '\n', '\r\n'])('prints the hash of what comes on stdin, without a line end (%j)', async (end) => {
    const token = createToken()
    expect(await pipe(token + end)).toEqual({ code: 0, stdout: `${toDigest(token)}\n`, stderr: '' })
  })

  it.each([
    ['', 'is missing'],
    ['a'.repeat(31), 'has 31 characters, and needs at least 32'],
    [`${'a'.repeat(40)} b`, 'has characters that cannot be sent behind Bearer'],
    [`${'a'.repeat(40)}\n\n`, 'has characters that cannot be sent behind Bearer'],
    [createToken().slice(0, -1), 'has a slip in it'],
  ])('refuses %j, and repeats none of it', async (token, problem) => {
    const { code, stdout, stderr } = await pipe(token)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(`the token on stdin ${problem}`)
    if (token.length > 0) expect(stderr).not.toContain(token.trim())
  })

  it('takes none from the command line, where others see it, and repeats none of it', async () => {
    const token = createToken()
    for (const words of [[token], [token, 'more']]) {
      const { code, stdout, stderr } = await pipe('', ...words)
      expect([code, stdout]).toEqual([2, ''])
      expect(stderr).toContain('a token in a command line is seen by whoever lists processes')
      expect(stderr).not.toContain(token)
    }
  })
})
