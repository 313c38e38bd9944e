import { findHttpAddress } from '@iii/sdk'
import { ASK_MS, CommandFailure, EXIT, toUsage } from '@iii/sdk/cli'
import { parseApiPath } from '../../mcp/api-path.ts'
import { BRIDGE_FLAGS, FLAGS } from '../flags.ts'
import type { BridgeSession } from '../session.ts'
import type { Block } from './block.ts'
import type { Client } from './clients.ts'

/**
 * The block by which a client reaches a bridge over HTTP: at the address that was given, else where the engine has its HTTP port.
 *
 * @throws CommandFailure for a client that reads no addresses, for flags of a process that this does not start, and without an address
 */
export async function toAddressBlock(client: Client, session: BridgeSession): Promise<Block> {
  if (typeof client.address === 'string') throw toUsage(client.address, COMMAND)
  const misplaced = findMisplaced(session)
  if (misplaced !== undefined) {
    throw toUsage(`${misplaced} is for the bridge that serves the address: start that one with it`, COMMAND)
  }
  return client.address(session.flags.address ?? (await findAddress(session)))
}

const COMMAND = 'iii-mcp install'

/** The path is where the address leads; all else is decided by the bridge that answers there. */
function findMisplaced({ said }: BridgeSession): string | undefined {
  const given = BRIDGE_FLAGS.filter((key) => key !== 'apiPath' && said.own.get(key)?.from === 'flag')
  return given.flatMap((key) => FLAGS[key].flag ?? [])[0]
}

async function findAddress({ said, settings, connect }: BridgeSession): Promise<string> {
  const worker = await connect()
  const ask = (function_id: string, payload: object) => worker.trigger({ function_id, payload, timeoutMs: ASK_MS })
  const found = await findHttpAddress(ask, said.url)
  if (found === undefined) {
    const text = 'the engine has no HTTP port, or does not say where: name the address of the bridge with --address URL'
    throw new CommandFailure(EXIT.failed, text)
  }
  const host = found.host.includes(':') ? `[${found.host}]` : found.host
  return `http://${host}:${found.port}${parseApiPath(settings.value.apiPath)?.path ?? settings.value.apiPath}`
}
