import { describe, expect, it } from 'vitest'
import { HELP, parseStartCommand, type StartCommand } from './arguments.ts'

const said = { allowRun: false, mcpServers: undefined, verbose: false }
const ports = { httpPort: 3111, enginePort: 49134 }
const embedded: StartCommand = { kind: 'embedded', ...ports, engineVersion: '0.22', dataDir: undefined, ...said }
const external: StartCommand = { kind: 'external', engineUrl: 'ws://10.0.0.2:49134', httpUrl: undefined, ...said }

describe('the arguments of start', () => {
  it.each<[string, string[], StartCommand]>([
    ['nothing', [], embedded],
    ['a port', ['--http-port', '4000'], { ...embedded, httpPort: 4000 }],
    [
      'a port behind the -- that a package manager passes on',
      ['--', '--http-port', '4000'],
      { ...embedded, httpPort: 4000 },
    ],
    ['a port with an equals sign', ['--engine-port=4001'], { ...embedded, enginePort: 4001 }],
    ['any free ports', ['--http-port', '0', '--engine-port', '0'], { ...embedded, httpPort: 0, enginePort: 0 }],
    ['the next engine', ['--engine-version', '0.23'], { ...embedded, engineVersion: '0.23' }],
    ['a data folder', ['--data', './data'], { ...embedded, dataDir: './data' }],
    ['verbose', ['--verbose'], { ...embedded, verbose: true }],
    ['that jobs may be run', ['--allow-run'], { ...embedded, allowRun: true }],
    ['MCP servers', ['--mcp-servers', 'mine.yaml'], { ...embedded, mcpServers: 'mine.yaml' }],
    ['help', ['--help', '--http-port', '1'], { kind: 'help' }],
    ['help, in short', ['-h'], { kind: 'help' }],
    ['an engine', ['--engine', 'ws://10.0.0.2:49134'], external],
    [
      'an engine and its HTTP address',
      ['--engine', 'ws://10.0.0.2:49134', '--http-url', 'http://10.0.0.2:80/'],
      { ...external, httpUrl: 'http://10.0.0.2:80' },
    ],
  ])('are understood: %s', (_what, argv, command) => {
    expect(parseStartCommand(argv)).toEqual(command)
  })

  it.each<[string[], string]>([
    [['--http-prot', '4000'], 'Unknown flag --http-prot: did you mean --http-port?'],
    [['--port', '4000'], 'Unknown flag --port: did you mean --http-port?'],
    [['--engine-url', 'ws://x'], 'Unknown flag --engine-url: did you mean --engine?'],
    [['--nonsense-of-mine'], 'Unknown flag --nonsense-of-mine'],
    [['--help=yes'], '--help takes no value'],
    [['4000'], 'Unexpected argument 4000: start takes flags only'],
    [[''], "Unexpected argument '': start takes flags only"],
    [['--http-port'], '--http-port needs a value'],
    [['--http-port', '--engine-port', '1'], '--http-port needs a value'],
    [['--mcp-servers'], '--mcp-servers needs a value'],
    [['--mcp-server', 'x'], 'Unknown flag --mcp-server: did you mean --mcp-servers?'],
    [['--data='], '--data needs a value'],
    [['--http-port', 'abc'], '--http-port takes a port from 0 to 65535, not abc'],
    [['--http-port', '70000'], '--http-port takes a port from 0 to 65535, not 70000'],
    [['--http-port', '-1'], '--http-port takes a port from 0 to 65535, not -1'],
    [['--engine-port', '3111'], '--http-port and --engine-port are both 3111: they have to differ'],
    [['--engine-version', '0.24'], '--engine-version takes 0.22 or 0.23, not 0.24'],
    [
      ['--engine', 'ws://h:1', '--engine-version', '0.23'],
      '--engine-version is for the embedded engine: leave it out, or leave --engine out',
    ],
    [['--engine', 'localhost:49134'], '--engine takes a URL like ws://127.0.0.1:49134, not localhost:49134'],
    [['--engine', 'ws://h:1', '--http-url', 'h:2'], '--http-url takes a URL like http://127.0.0.1:3111, not h:2'],
    [
      ['--engine', 'ws://h:1', '--http-url', 'http://user:word@h:2'],
      '--http-url is shown to whoever sees the terminal: leave its user name and password out',
    ],
    [['--http-url', 'http://h:2'], '--http-url belongs to --engine: the embedded engine has --http-port'],
    [['--engine', 'ws://h:1', '--data', 'x'], '--data is for the embedded engine: leave it out, or leave --engine out'],
  ])('are refused with advice: %j', (argv, message) => {
    expect(parseStartCommand(argv)).toEqual({ kind: 'wrong', message })
  })

  it('are all in the help text', () => {
    for (const flag of [
      '--http-port',
      '--engine-port',
      '--engine-version',
      '--data',
      '--engine',
      '--http-url',
      '--mcp-servers',
      '--allow-run',
      '--verbose',
      '--help',
    ]) {
      expect(HELP).toContain(`  ${flag}`)
    }
  })
})
