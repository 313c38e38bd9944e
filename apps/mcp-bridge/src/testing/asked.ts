import type { TestBridge } from './bridge.ts'
import { openEvents, postInit } from './events.ts'
import * as tasks from './tasks.ts'

type Headers = Readonly<Record<string, string>>

/** A function that asks its client, and goes on with the answer. */
export function askSure(_: unknown, metadata: unknown): object | string {
  const { mcp } = metadata as { mcp: { input_responses?: object } }
  return mcp.input_responses === undefined
    ? { result_type: 'input_required', input_requests: { sure: tasks.form }, request_state: 's' }
    : 'went on'
}

/** @returns what names a session of a client that can be asked, and its caller */
export async function openAskable(bridge: TestBridge, caller: Headers): Promise<Headers> {
  const clientInfo = { name: 't', version: '1' }
  const params = { protocolVersion: '2025-06-18', capabilities: { elicitation: {} }, clientInfo }
  const { headers } = await bridge.rpc('initialize', params, caller)
  return { ...caller, 'mcp-session-id': headers.get('mcp-session-id') ?? '' }
}

/** Calls a tool that asks, in a session of its own, and waits for the question. */
export async function beAsked(bridge: TestBridge, caller: Headers, name: string) {
  const session = await openAskable(bridge, caller)
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } }
  const events = await openEvents(bridge.url, postInit(call, session))
  const { id, method } = (await events.nextMessage()) ?? {}
  if (method !== 'elicitation/create') throw new Error(`${name} asked nothing, but sent ${String(method)}`)
  return { session, events, answer: { jsonrpc: '2.0', id, result: { action: 'accept', content: {} } } }
}
