import { describe, expect, it } from 'vitest'
import { runCommand } from '../testing/command.ts'
import { createBridgeCommands } from './commands.ts'
import { readOperatorHost } from './host.ts'

const commands = createBridgeCommands(readOperatorHost({}))

describe('a command line', () => {
  it.each([
    [[], false],
    [['--no-stdio', '--tier', 'ops'], false],
    [['--tier', 'doctor'], false],
    [['--config', 'install', '--debug'], false],
    [['--help'], false],
    [['doctor'], true],
    [['explian'], true],
    [['--tier', 'ops', 'explain'], true],
    [['--require-expose', 'doctor'], true],
  ])('%j is for a command: %j', (argv, expected) => {
    expect(commands.isCommand(argv)).toBe(expected)
  })

  it.each([
    ['explian', 'unknown command explian; did you mean explain?', 'iii-mcp'],
    ['uninstall cursor', 'unknown command uninstall; did you mean install --uninstall?', 'iii-mcp'],
    ['nonsense', 'unknown command nonsense; there are explain, doctor, install, token', 'iii-mcp'],
    ['', "unknown command ''; there are explain, doctor, install, token", 'iii-mcp'],
    ['token ', "unknown command token ''; there are token create, token hash", 'iii-mcp'],
    ['doctor x', "doctor takes nothing behind it: 'x' is too much", 'iii-mcp doctor'],
    ['explain a b', "explain takes [NAME] and no more: 'b' is too much", 'iii-mcp explain'],
    ['explain --teir x', 'unknown option --teir; did you mean --tier?', 'iii-mcp explain'],
    ['install --nam x', 'unknown option --nam; did you mean --name?', 'iii-mcp install'],
    ['--teir x explain', 'unknown option --teir; did you mean --tier?', 'iii-mcp'],
    ['doctor --print', 'doctor knows no --print', 'iii-mcp doctor'],
    [
      'explain --api-path a//b',
      "--api-path: must be one to eight segments of letters, digits and . _ ~ -, and not below /.well-known, for example /mcp ('a//b')",
      'iii-mcp explain',
    ],
  ])("'%s' is wrong usage", async (line, problem, command) => {
    expect(await runCommand(line.split(' '))).toEqual({
      code: 2,
      stdout: '',
      stderr: `iii-mcp: ${problem}\nTry '${command} --help'.\n`,
    })
  })
})

describe('the help', () => {
  it.each(['explain', 'doctor', 'install'])(
    'of %s fits a page, and names flags, engine and exit codes',
    async (name) => {
      const { code, stdout } = await runCommand([name, '--help'])
      expect(code).toBe(0)
      for (const text of [
        `Usage: iii-mcp ${name}`,
        '--json',
        '--tier',
        'III_URL',
        '--config',
        '  4  no engine answers',
      ]) {
        expect(stdout).toContain(text)
      }
      // A path stays in one piece.
      const lines = stdout.split('\n').filter((line) => !/[\\/]/.test(line))
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80)
    },
  )

  it('of install says where each client has its file', async () => {
    const { stdout } = await runCommand(['install', '--help'])
    expect(stdout).toContain('  cursor           ~/.cursor/mcp.json\n')
    expect(stdout).toContain('Windows  %APPDATA%/Claude/claude_desktop_config.json\n')
  })
})
