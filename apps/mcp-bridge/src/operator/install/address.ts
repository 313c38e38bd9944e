import { findHttpAddress, toPublicUrl } from '@iii/sdk'
import { ASK_MS, CommandFailure, EXIT, formatHttpAddress, toUsage } from '@iii/sdk/cli'
import { parseApiPath } from '../../mcp/api-path.ts'
import { BRIDGE_FLAGS, FLAGS } from '../flags.ts'
import type { BridgeSession } from '../session.ts'
import { toStartCommand } from '../start-command.ts'
import type { ServerBlock } from './block.ts'
import type { Client } from './clients.ts'

/**
 * The block by which a client reaches a bridge over HTTP: at the address that was given, else where the engine has its HTTP port.
 *
 * @throws CommandFailure for a client that reads no addresses, for flags of a process that this does not start, and without an address
 */
export async function toAddressBlock(client: Client, session: BridgeSession): Promise<ServerBlock> {
  if (typeof client.address === 'string') throw toUsage(client.address, INSTALL)
  const misplaced = findMisplaced(session)
  if (misplaced !== undefined) {
    throw toUsage(`${misplaced} is for the bridge that serves the address: start that one with it`, INSTALL)
  }
  return client.address(await findUrl(session))
}

/** What is missing before the entry works: a bridge there, or a token. Undefined where nothing is. */
export async function adviseOnEntry(session: BridgeSession): Promise<string | undefined> {
  const url = await findUrl(session)
  // Nobody is sent a user and a password by this command.
  const { username, password } = new URL(url)
  if (username !== '' || password !== '') return undefined
  const answer = await ask(url)
  if (answer.kind === 'refuses') {
    return `what answers at ${toPublicUrl(url)} refuses requests (HTTP ${answer.status}): the client gets nothing there until that is mended`
  }
  if (answer.kind === 'none') return adviseBridge(url, answer.text, session)
  const { challenge } = answer
  if (challenge === undefined) return undefined
  const login = challenge.includes('resource_metadata') ? '; a client that can log in needs no such header' : ''
  return `the bridge there asks for a token: give the entry the header Authorization: Bearer TOKEN (iii-mcp token create NAME makes one)${login}`
}

function adviseBridge(url: string, text: string, { flags, said }: BridgeSession): string {
  const start = flags.address === undefined ? `: ${toStartCommand(said)}` : ''
  return `no bridge answers at ${toPublicUrl(url)} (${text}); the client reaches nothing there until one is started${start}`
}

type Answer =
  /** A server of MCP, and how it refuses whoever has no token. */
  | { readonly kind: 'mcp'; readonly challenge: string | undefined }
  | { readonly kind: 'refuses'; readonly status: number }
  | { readonly kind: 'none'; readonly text: string }

async function ask(url: string): Promise<Answer> {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
  const question = { method: 'POST', headers, body, redirect: 'manual', signal: AbortSignal.timeout(ASK_MS) } as const
  try {
    const answer = await fetch(url, question)
    const { status } = answer
    const isMcp = status === 401 || (await isOfMcp(answer))
    if (!isMcp) return { kind: 'none', text: `HTTP ${status}` }
    // Others refuse no more than a ping without a session.
    if (status === 403 || status >= 500) return { kind: 'refuses', status }
    return { kind: 'mcp', challenge: status === 401 ? (answer.headers.get('www-authenticate') ?? '') : undefined }
  } catch (error) {
    return { kind: 'none', text: toReason(error) }
  }
}

/** Read no further than it tells: an event stream may stay open, and an answer of something else may have no end. */
async function isOfMcp({ body }: Response): Promise<boolean> {
  let text = ''
  for await (const chunk of body ?? []) {
    text += Buffer.from(chunk).toString('latin1')
    if (text.includes('"jsonrpc"')) return true
    if (text.length > MAX_READ_BYTES) return false
  }
  return false
}

const MAX_READ_BYTES = 65_536

function toReason(error: unknown): string {
  const { name, cause } = error as Error
  const { code = 'no connection' } = (cause ?? {}) as NodeJS.ErrnoException
  return name === 'TimeoutError' ? `no answer within ${ASK_MS / 1_000} s` : code
}

async function findUrl(session: BridgeSession): Promise<string> {
  return session.flags.address ?? (await findAddress(session))
}

export const INSTALL = 'iii-mcp install'

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
  return `${formatHttpAddress(found)}${parseApiPath(settings.value.apiPath)?.path ?? settings.value.apiPath}`
}
