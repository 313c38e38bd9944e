import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { CommandFailure, type CommandLine, EXIT, toFlagWords } from '@iii/sdk/cli'
import { bridgeOptions } from '../../options.ts'
import type { OperatorHost } from '../host.ts'
import type { Client } from './clients.ts'
import { findNode, findNpx } from './find-node.ts'

/** What a client is told about the server. */
export type ServerBlock = Readonly<Record<string, unknown>>

const PACKAGE = '@iii/mcp'

/**
 * The block that starts this version over stdio, with the flags that were given. Node stands there by its absolute path: programs
 * with a window are started with a bare PATH.
 *
 * @throws CommandFailure when the server could not be started that way
 */
export function toServerBlock(client: Client, host: OperatorHost, said: CommandLine, version: string): ServerBlock {
  const node = findNode(host)
  const { noStdio: _, ...table } = bridgeOptions
  const flags = toFlagWords(said, table)
  const { script } = host
  if (!INSTALLED.test(script)) return { ...client.extras, command: node, args: [requireBuilt(script), ...flags] }
  const npx = findNpx(host)
  if (npx === undefined) {
    const text = `there is no npx beside the Node at ${node}: install npm, or run this from a checkout`
    throw new CommandFailure(EXIT.failed, text)
  }
  const args = [npx, '-y', `${PACKAGE}@${version}`, ...flags]
  if (host.platform === 'win32') return { ...client.extras, command: node, args }
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
  throw new CommandFailure(EXIT.failed, `${script} was not built yet: run npx pnpm build, and then this again`)
}
