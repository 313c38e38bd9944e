import type { OptionTable } from '@iii/sdk'
import { z } from 'zod'
import { type BridgeOptions, bridgeOptions } from '../options.ts'

/** What a command can be told: everything that the bridge can, so that it sees what the bridge sees, and more. */
export interface Flags extends BridgeOptions {
  readonly json: boolean
  readonly all: boolean
  /** Through whose eyes. */
  readonly as: string | undefined
  /** A file with the claims of a token. */
  readonly asClaims: string | undefined
  readonly print: boolean
  readonly uninstall: boolean
  readonly force: boolean
  /** Under which a client knows the server. */
  readonly name: string
  /** How a client is to reach the bridge: as a process that it starts, or at an address. */
  readonly transport: 'stdio' | 'http'
  /** Of the bridge, for clients that reach it over HTTP. */
  readonly address: string | undefined
  /** What a new token may. */
  readonly grant: string
  /** Instead of the client's own configuration file. */
  readonly file: string | undefined
}

/** The names of the bridge's own options. */
export const BRIDGE_FLAGS = Object.keys(bridgeOptions) as (keyof BridgeOptions & string)[]

const off = { schema: z.boolean(), default: false } as const

const ServerName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/, {
  error: 'must be letters, digits, - and _, at most 64 and the first no - or _, for example iii',
})

export const FLAGS: OptionTable<Flags> = {
  json: { ...off, flag: '--json', describe: 'Print JSON, for scripts.' },
  all: { ...off, flag: '--all', describe: 'List the functions of the engine itself too.' },
  as: {
    flag: '--as',
    schema: z
      .string()
      .regex(
        /^(?:(?:token|grant):.+|anonymous|local|bus)$/,
        'must be token:NAME, anonymous, local, bus or grant:NAME,…',
      )
      .optional(),
    default: undefined,
    describe: 'Through the eyes of token:NAME, anonymous, local, bus, or of who logs in, by grants: grant:NAME,….',
    placeholder: 'WHO',
  },
  asClaims: {
    flag: '--as-claims',
    schema: z.string().min(1).optional(),
    default: undefined,
    describe: 'Through the eyes of who logs in with a token of these claims: JSON, its payload without the signature.',
    placeholder: 'FILE',
  },
  print: { ...off, flag: '--print', describe: 'Print the block, and write nothing.' },
  uninstall: { ...off, flag: '--uninstall', describe: 'Take the server out of the configuration again.' },
  force: {
    ...off,
    flag: '--force',
    describe: 'Put the server in the place of another one of that name, or take that out.',
  },
  name: {
    flag: '--name',
    schema: ServerName,
    default: 'iii',
    describe: 'The name of the server in the client.',
    placeholder: 'NAME',
  },
  transport: {
    flag: '--transport',
    schema: z.enum(['stdio', 'http']),
    default: 'stdio',
    describe: 'stdio: the client starts the server. http: it is told the address of a bridge that runs.',
    placeholder: 'stdio|http',
  },
  address: {
    flag: '--address',
    schema: z
      .url({ protocol: /^https?$/, error: 'must be an address, for example https://mcp.example.com/mcp' })
      .optional(),
    default: undefined,
    describe: 'The address at which clients reach the bridge. Without it the engine is asked for its HTTP port.',
    placeholder: 'URL',
  },
  grant: {
    flag: '--grant',
    schema: z.string(),
    default: 'all',
    describe: 'The grant of the new token, in auth.grants.',
    placeholder: 'NAME',
  },
  file: {
    flag: '--file',
    schema: z.string().min(1).optional(),
    default: undefined,
    describe: 'Write to this file instead, for example to the .mcp.json of a project.',
    placeholder: 'FILE',
  },
  ...bridgeOptions,
}
