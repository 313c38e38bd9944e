import type { Worker } from '@iii/sdk'
import {
  ASK_MS,
  type Command,
  CommandFailure,
  type Commands,
  connectEngine,
  createCommands,
  findSettings,
} from '@iii/sdk/cli'
import { askBridges } from '../neighbours/asking.ts'
import { bridgeOptions, findConflict } from '../options.ts'
import { diagnoseBridge } from './doctor/index.ts'
import { explain } from './explain/index.ts'
import { BRIDGE_FLAGS, FLAGS, type Flags } from './flags.ts'
import type { OperatorHost } from './host.ts'
import { formatPlaces } from './install/clients.ts'
import { install } from './install/index.ts'
import type { Extra } from './session.ts'
import { makeToken } from './token/create.ts'
import { hashToken } from './token/hash.ts'

const PROGRAM = 'iii-mcp'

/** None does anything before it is asked for. In one file, what is imported later would cost each start more than it saves. */
const COMMANDS: readonly Command<Flags, Extra>[] = [
  {
    name: 'explain',
    operands: '[NAME]',
    least: 0,
    most: 1,
    flags: ['json', 'all', 'as', 'asClaims', ...BRIDGE_FLAGS],
    summary: 'Say what clients see, and what hides the rest.',
    details: [
      'NAME is the id of a function, the name of its tool or of a prompt, the id of a skill, or an address: orders::create, orders__create, refund-order, orders/refunds, iii://fn/orders/create. A management tool is explained too: iii_worker_register. Without it all are listed.',
      'The rules are those of the flags, environment and file given here. Where none is given, the running bridge is asked for its own; stderr says whose they are.',
      '--as and --as-claims say through whose eyes. Claims are taken as they are, without signature, audience and times: what they have to be is for doctor and the log to say.',
      'With NAME the exit code is 0 when clients see it (of a management tool: when they may use it), 1 when something hides it, 3 when nobody registered it.',
    ].join('\n'),
    examples: [
      ['explain', 'List what clients see, and what hides the others'],
      ['explain orders::create --tier user', 'Say whether a client of that tier sees a function, and what decides'],
      ['explain --as token:ci --json', 'The same for a script, through the eyes of who has that token'],
    ],
    work: explain,
  },
  {
    name: 'doctor',
    operands: '',
    least: 0,
    most: 0,
    flags: ['json', 'address', ...BRIDGE_FLAGS],
    summary: 'Check engine, route, registry, settings and network.',
    details: [
      'Give it the flags, environment and file that the bridge was started with.',
      'With --address, or auth.resource in the file, it asks there as a client does, and says whether tokens arrive; with a good one in III_MCP_TOKEN, whether as they were sent.',
      'Each check says ok, warning or problem, and what to do. It changes nothing. Exit code 0 when everything works (warnings included), 1 when something does not, 4 without an engine.',
    ].join('\n'),
    examples: [
      ['doctor', 'Check everything on this machine'],
      ['doctor --url ws://10.0.0.5:49134 --api-path /tools', 'Check a bridge on another engine, at another path'],
      ['doctor --json', 'For a script, which looks at the exit code'],
    ],
    work: diagnoseBridge,
  },
  {
    name: 'install',
    operands: 'CLIENT',
    least: 1,
    most: 1,
    flags: [
      'print',
      'uninstall',
      'force',
      'transport',
      'address',
      'name',
      'file',
      'json',
      ...BRIDGE_FLAGS.filter((flag) => flag !== 'noStdio'),
    ],
    summary: 'Put the server into the configuration of an MCP client.',
    details: [
      'Everything else in the file stays, comments too, and the file as it was before the last change is kept beside it, until --uninstall takes both away. A file that is malformed is not touched, and one that is right already neither.',
      'What stands under the name already goes as a whole when Node or npx starts this server there, of whatever version. Another server is shown with the difference and left alone, unless --force is given.',
      'With --transport http the client is told the address of a bridge that runs: --address, else the HTTP port of the engine and the path of --api-path.',
      'The other flags given here are those that the client will start the server with.',
      '',
      'CLIENT is one of these, and has its file here:',
      ...formatPlaces(),
    ].join('\n'),
    examples: [
      ['install cursor --tier user --no-builtins', 'Have Cursor start the server with these flags'],
      ['install codex --transport http', 'Tell Codex the address of the bridge that runs'],
      ['install claude-code --file .mcp.json --print', 'Show what would be written for a project'],
    ],
    work: install,
  },
  {
    name: 'token create',
    operands: 'NAME',
    least: 1,
    most: 1,
    flags: ['json', 'grant'],
    summary: 'Make a token for a caller over HTTP.',
    details: [
      'The token goes to stdout, this once; the block for the configuration file, which has nothing of it but a hash, to stderr.',
      'NAME says whose it is in logs and to functions: token:NAME.',
    ].join('\n'),
    examples: [
      ['token create ci', 'Make a token, and see where it belongs'],
      ['token create desk --grant support > desk.token', 'Keep the token in a file, with a grant of its own'],
      ['token create ci --json > ci.json', 'For a script: the token, and the entry for auth.tokens'],
    ],
    work: makeToken,
  },
  {
    name: 'token hash',
    operands: '',
    least: 0,
    // Somebody types the token there, which must not be repeated.
    most: Number.POSITIVE_INFINITY,
    flags: ['json'],
    summary: 'Print the hash of a token on stdin, for auth.tokens.',
    details: [
      'For a token that something else has made. It has to have at least 32 characters, all of them random: who has the file can try out what is short.',
      'On a terminal it asks for the token, and does not show it. In a command line it would be seen by others, so none is taken there.',
    ].join('\n'),
    examples: [
      ['token hash < token.txt', 'Hash a token that is in a file'],
      ['token hash --json < token.txt', 'The same for a script'],
      ['token hash < token.txt > hash.txt', 'Keep the hash'],
    ],
    work: hashToken,
  },
]

/** The commands of an operator, beside the server. */
export function createBridgeCommands(host: OperatorHost): Commands {
  return createCommands<Flags, Extra>({
    program: PROGRAM,
    heading: 'Commands:',
    remark: "Each has a --help of its own. A word that begins with '-' stands behind '--'.",
    flags: FLAGS,
    workerFlags: BRIDGE_FLAGS,
    commands: COMMANDS,
    exitCodes: {
      0: 'done',
      1: 'something failed, is not as it should be, or is hidden',
      2: 'wrong usage; nothing was done',
      3: 'what was named is not there',
      4: 'no engine answers',
    },
    open(said, name) {
      let worker: Promise<Worker> | undefined
      let bridges: ReturnType<Extra['findBridges']> | undefined
      const connect = () => {
        worker ??= connectEngine(said, name)
        return worker
      }
      const extra: Extra = {
        host,
        settings: findSettings({ options: bridgeOptions, findConflict }, said, PROGRAM),
        connect,
        findBridges() {
          bridges ??= findBridges(connect)
          return bridges
        },
      }
      return { extra, close: () => worker?.then((one) => one.shutdown()).catch(() => undefined) }
    },
  })
}

async function findBridges(connect: () => Promise<Worker>): ReturnType<Extra['findBridges']> {
  try {
    const engine = await connect()
    const ask = (function_id: string, payload: object) => engine.trigger({ function_id, payload, timeoutMs: ASK_MS })
    return await askBridges(ask, engine.namespace)
  } catch (error) {
    if (error instanceof CommandFailure) return undefined
    throw error
  }
}
