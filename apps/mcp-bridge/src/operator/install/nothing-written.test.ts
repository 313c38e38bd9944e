import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startInstallStage } from '../../testing/install-stage.ts'

describe('nothing is written', () => {
  it.each([
    ['{\n  "mcpServers": {,}\n}', 'line 2: '],
    ['é{', 'line 1: '],
    ['{"mcpServers":{"iii":{"url":"http://127.0.0.1:3111/mcp"}}}', 'reached by its url'],
  ])('into %j', async (text, reason) => {
    await using stage = await startInstallStage()
    await stage.write('home/.cursor/mcp.json', text)
    const { code, stdout, stderr } = await stage.run('install cursor')
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain(reason)
    expect(stderr).toContain('nothing was written')
    expect(await stage.read('home/.cursor/mcp.json')).toBe(text)
    expect((await stage.files()).filter((name) => name.startsWith('home/'))).toEqual(['home/.cursor/mcp.json'])
  })

  it('into what is no text, or a folder', async () => {
    await using stage = await startInstallStage()
    await mkdir(join(stage.path, 'home/.cursor/mcp.json'), { recursive: true })
    expect((await stage.run('install cursor')).stderr).toContain(
      'it is a folder: only a regular file is read; nothing was written',
    )
    const file = await stage.write('home/.claude.json', '')
    await writeFile(file, Buffer.from([0x7b, 0xff, 0x7d]))
    expect((await stage.run('install claude-code')).stderr).toContain('it is not UTF-8; nothing was written')
  })

  it.each([
    ['gone', 'a symbolic link there leads nowhere; nothing was written'],
    ['gemini', 'its symbolic links lead in a circle; nothing was written'],
  ])('where the folder is a link to %s', async (target, reason) => {
    await using stage = await startInstallStage()
    await stage.write('home/other', '')
    await symlink(target, join(stage.path, 'home/gemini'))
    const { code, stderr } = await stage.run(`install cursor --file ${stage.path}/home/gemini/mcp.json`)
    expect([code, stderr]).toEqual([1, expect.stringContaining(reason)])
  })

  it.each([
    ['install', 'install needs CLIENT'],
    ['install cursr', 'unknown client cursr; did you mean cursor?'],
    ['install emacs', 'unknown client emacs; known are claude-desktop, claude-code'],
    ['install cursor --no-stdio', 'install knows no --no-stdio'],
    ['install cursor --name __proto__', '--name: must be letters, digits, - and _, at most 64 and the first no - or _'],
    ['install cursor --print --uninstall', '--print and --uninstall exclude each other'],
    [
      'install cursor --require-expose --expose-all',
      '--require-expose and --expose-all say the opposite of each other',
    ],
  ])('for %s', async (words, problem) => {
    await using stage = await startInstallStage()
    const { code, stderr } = await stage.run(words)
    expect([code, stderr]).toEqual([2, expect.stringContaining(problem)])
    expect((await stage.files()).filter((name) => name.startsWith('home/'))).toEqual([])
  })

  it('writes no server that would serve nothing: its configuration file is missing or cannot be used', async () => {
    await using stage = await startInstallStage()
    const file = await stage.write('mcp.yaml', 'teir: ops')
    for (const [words, text] of [
      [`--config ${file}`, "unknown key 'teir'; did you mean 'tier'?"],
      [`--config ${file}.none --print`, 'the file does not exist: name the right one with --config'],
    ]) {
      const { code, stdout, stderr } = await stage.run(`install cursor ${words}`)
      expect([code, stdout]).toEqual([2, ''])
      expect(stderr).toContain(text)
    }
    expect((await stage.files()).filter((name) => name.startsWith('home/'))).toEqual([])
    expect((await stage.run(`install cursor --uninstall --config ${file}`)).code).toBe(0)
  })
})
