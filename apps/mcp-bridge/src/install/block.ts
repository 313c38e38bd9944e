import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { toEngineUrl } from '@iii/sdk'
import { COMMON_OPTIONS, CommandFailure, type CommandLine, EXIT } from '@iii/sdk/cli'
import { BRIDGE_FLAGS, FLAGS } from '../cli/flags.ts'
import type { Machine } from '../cli/machine.ts'
import type { Client } from './clients.ts'
import { findNode, findNpx } from './find-node.ts'

/** What a client is told about the server. */
export interface Block {
  readonly [key: string]: unknown
  readonly command: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

const PACKAGE = '@iii/mcp'

/**
 * The block that starts this version over stdio, with the flags that were given. Node stands there by its absolute path: programs
 * with a window are started with a bare PATH.
 *
 * @throws CommandFailure when the server could not be started that way
 */
export function toBlock(client: Client, machine: Machine, said: CommandLine, version: string): Block {
  const node = findNode(machine)
  const flags = toFlags(said)
  const { script } = machine
  if (!INSTALLED.test(script)) return { ...client.extras, command: node, args: [requireBuilt(script), ...flags] }
  const npx = findNpx(machine)
  if (npx === undefined) {
    const text = `there is no npx beside the Node at ${node}: install npm, or run this from a checkout`
    throw new CommandFailure(EXIT.failed, text)
  }
  const args = [npx, '-y', `${PACKAGE}@${version}`, ...flags]
  if (machine.platform === 'win32') return { ...client.extras, command: node, args }
  // What npx starts looks for Node on the PATH.
  const path = [dirname(node), ...PLAIN_PATH].filter((folder, at, all) => all.indexOf(folder) === at).join(':')
  return { ...client.extras, command: node, args, env: { PATH: path } }
}

const PLAIN_PATH = ['/usr/local/bin', '/usr/bin', '/bin']

/** By a package manager: it may be gone tomorrow. */
const INSTALLED = /[\\/]node_modules[\\/]/

const LAUNCHER = /[\\/]bin[\\/]iii-mcp\.js$/

/** What a checkout starts its program with is there before the program is. */
function requireBuilt(script: string): string {
  if (!LAUNCHER.test(script) || existsSync(script.replace(LAUNCHER, '/bundle/index.mjs'))) return script
  throw new CommandFailure(EXIT.failed, `${script} was not built yet: run pnpm build, and then this again`)
}

/** The flags of the server, as they were given here; what the environment of a shell says counts too, for clients have another. */
function toFlags({ url, config, debug, own }: CommandLine): string[] {
  const flags: string[] = []
  if (url !== toEngineUrl(COMMON_OPTIONS.url.default)) flags.push('--url', url.replace(/(:\/\/[^/]*)\/$/, '$1'))
  if (config !== undefined) flags.push('--config', resolve(config))
  if (debug) flags.push('--debug')
  for (const key of BRIDGE_FLAGS.filter((name) => name !== 'noStdio')) {
    const given = own.get(key)
    const flag = [FLAGS[key].flag].flat()[0]
    if (given !== undefined && flag !== undefined) flags.push(...toWords(flag, given.value))
  }
  return flags
}

function toWords(flag: string, value: unknown): string[] {
  if (typeof value === 'boolean') return [value ? flag : `${flag}=false`]
  return [flag, Array.isArray(value) ? value.join(',') : String(value)]
}
