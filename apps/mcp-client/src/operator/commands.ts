import type { Worker } from '@iii/sdk'
import { type Commands, connectEngine, createCommands, findSettings } from '@iii/sdk/cli'
import { rules } from '../options.ts'
import { approve } from './approve.ts'
import { check } from './check.ts'
import { doctor } from './doctor.ts'
import { explain } from './explain.ts'
import { FLAGS, type Flags } from './flags.ts'
import { importFile } from './import.ts'
import { list } from './list.ts'
import type { ClientCommand, Extra, OperatorHost } from './session.ts'
import { show } from './show.ts'
import { tools } from './tools.ts'

const PROGRAM = 'iii-mcp-client'
const FILE = 'The servers are those of the file that --config or III_CONFIG names.'

const COMMANDS: readonly ClientCommand[] = [
  {
    ...{ name: 'list', operands: '', least: 0, most: 0, flags: ['json'] },
    summary: 'List the servers of the file, and how they stand.',
    details: `${FILE} It starts nothing: it asks the running worker, and says so where there is none.`,
    examples: [
      ['list --config servers.yaml', 'List the servers of a file'],
      ['list --json', 'For a script, with the file of III_CONFIG'],
      ['list --config servers.yaml --url ws://10.0.0.5:49134', 'Ask the worker on another engine how they stand'],
    ],
    work: list,
  },
  {
    ...{ name: 'show', operands: 'NAME', least: 1, most: 1, flags: ['json'] },
    summary: 'Show all that is known of a server, with what it says of itself.',
    details: 'Its instructions are for people: no agent sees them. It starts nothing.',
    examples: [
      ['show github', 'Show all that is known of a server'],
      ['show github --json', 'For a script'],
      ['show github --config servers.yaml', 'The same, of another file'],
    ],
    work: show,
  },
  {
    ...{ name: 'tools', operands: '[NAME]', least: 0, most: 1, flags: ['json'] },
    summary: 'List the tools of a server, or of all: registered, pending, denied or left out.',
    details: 'It asks the running worker, which alone knows them.',
    examples: [
      ['tools', 'List the tools of all servers'],
      ['tools github', 'List those of one'],
      ['tools --json', 'For a script'],
    ],
    work: tools,
  },
  {
    ...{ name: 'approve', operands: 'NAME [TOOL…]', least: 1, most: Number.POSITIVE_INFINITY, flags: ['yes', 'json'] },
    summary: 'Show how tools differ from what was approved, and approve them.',
    details:
      'Lines with - were approved, lines with + are there now. It asks before it writes the lock file; where nobody can be asked it needs --yes.',
    examples: [
      ['approve github', 'Show what is different, and ask'],
      ['approve github create_issue', 'Approve one tool'],
      ['approve github --yes', 'Approve without being asked, in a script'],
    ],
    work: approve,
  },
  {
    ...{ name: 'import', operands: 'FILE', least: 1, most: 1, flags: ['json'] },
    summary: 'Turn the servers of another program into YAML for this one, on stdout.',
    details: [
      'FILE is a .mcp.json, has mcpServers (Claude, Cursor, Windsurf), or servers and inputs (VS Code); comments are fine.',
      'References become { env } and { file }. What looks like a secret is not copied, and servers elsewhere (url) are left out: each is said, and the exit code is 1. It never writes trust: that line is yours.',
    ].join('\n'),
    examples: [
      ['import ~/.cursor/mcp.json > servers.yaml', 'Take over the servers of Cursor'],
      ['import .mcp.json', 'Show what would become of those of a project'],
      ['import .vscode/mcp.json --json', 'For a script'],
    ],
    work: importFile,
  },
  {
    ...{ name: 'check', operands: '[NAME]', least: 0, most: 1, flags: ['json'] },
    summary: 'Start a server by itself, or all, show what would be registered, and stop it.',
    details:
      'It needs no engine, and starts only what the file trusts: beside the process of a running worker, where there is one. It approves nothing.',
    examples: [
      ['check', 'Start each server by itself, and stop it'],
      ['check github', 'Start one'],
      ['check github --json', 'For a script'],
    ],
    work: check,
  },
  {
    ...{ name: 'doctor', operands: '', least: 0, most: 0, flags: ['json'] },
    summary: 'Check file, engine and worker, and say of each server what is wrong and what to do.',
    details: [
      'Give it the environment and file that the worker was started with.',
      'Each check says ok, warning or problem. It starts and changes nothing. Exit code 0 when everything works (warnings included), 1 when something does not, 4 without an engine.',
      'Servers are not sandboxed: they run with all rights of the worker.',
    ].join('\n'),
    examples: [
      ['doctor --config servers.yaml', 'Check the servers of a file'],
      ['doctor', 'Check those of the file of III_CONFIG'],
      ['doctor --json', 'For a script, which looks at the exit code'],
    ],
    work: doctor,
  },
  {
    ...{ name: 'explain', operands: 'FUNCTION', least: 1, most: 1, flags: ['json'] },
    summary: 'Say whose tool a function is, whether it is registered, and which rule of the file decides.',
    details:
      'FUNCTION is an id or the name of a tool: github::create_issue, github__create_issue. Whether a client may call it is decided elsewhere: iii-mcp explain FUNCTION. The exit code is 0 when it is registered, 1 when it is not, 3 when there is no such server or tool.',
    examples: [
      ['explain github::create_issue', 'By the id of the function'],
      ['explain github__create_issue', 'By the name of the tool'],
      ['explain github::create_issue --json', 'For a script'],
    ],
    work: explain,
  },
]

/** The commands of an operator, beside the worker. */
export function createClientCommands(host: OperatorHost): Commands {
  return createCommands<Flags, Extra>({
    program: PROGRAM,
    heading: 'Commands:',
    remark: "Each has a --help of its own. A word that begins with '-' stands behind '--'.",
    flags: FLAGS,
    commands: COMMANDS,
    exitCodes: {
      0: 'done',
      1: 'something failed, was refused, or is not as it should be',
      2: 'wrong usage, or a file that cannot be used; nothing was done',
      3: 'what was named is not there',
      4: 'no engine answers, or no worker mcp-client is on it',
    },
    open(said, name) {
      let worker: Promise<Worker> | undefined
      const extra = {
        host,
        settings: findSettings(rules, said, PROGRAM),
        connect() {
          worker ??= connectEngine(said, name)
          return worker
        },
      }
      return { extra, close: () => worker?.then((one) => one.shutdown()).catch(() => undefined) }
    },
  })
}
