import { findHttpAddress } from '@iii/sdk'
import { ASK_MS, CommandFailure, EXIT, toUsage } from '@iii/sdk/cli'
import { parseApiPath } from '../../mcp/api-path.ts'
import { BRIDGE_FLAGS, FLAGS } from '../flags.ts'
import type { BridgeSession } from '../session.ts'
import type { ServerBlock } from './block.ts'
import type { Client } from './clients.ts'

/**
 * The block by which a client reaches a bridge over HTTP: at the address that was given, else where the engine has its HTTP port.
 *
 * @throws CommandFailure for a client that reads no addresses, for flags of a process that this does not start, and without an address
 */
export async function toAddressBlock(client: Client, session: BridgeSession): Promise<ServerBlock> {
  if (typeof client.address === 'string') throw toUsage(client.address, COMMAND)
  const misplaced = findMisplaced(session)
  if (misplaced !== undefined) {
    throw toUsage(`${misplaced} is for the bridge that serves the address: start that one with it`, COMMAND)
  }
  return client.address(await findUrl(session))
}

/** What the entry needs beside the address; undefined where callers need no token, and where nobody answers. */
export async function adviseToken(session: BridgeSession): Promise<string | undefined> {
  const challenge = await askForChallenge(await findUrl(session))
  if (challenge === undefined) return undefined
  const login = challenge.includes('resource_metadata') ? '; a client that can log in needs no such header' : ''
  return `the bridge there asks for a token: give the entry the header Authorization: Bearer TOKEN (iii-mcp token create NAME makes one)${login}`
}

/** How a bridge refuses whoever has no token; undefined where it does not. */
async function askForChallenge(url: string): Promise<string | undefined> {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
  const question = { method: 'POST', headers, body, redirect: 'manual', signal: AbortSignal.timeout(ASK_MS) } as const
  try {
    const { status, headers: told, body: rest } = await fetch(url, question)
    await rest?.cancel()
    return status === 401 ? (told.get('www-authenticate') ?? '') : undefined
  } catch {
    return undefined
  }
}

async function findUrl(session: BridgeSession): Promise<string> {
  return session.flags.address ?? (await findAddress(session))
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
