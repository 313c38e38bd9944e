import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { openConnection, type SocketConnection, type SocketMessage } from './connection.ts'
import { brief, differ } from './pattern.ts'
import { fill, type Placeholders } from './placeholders.ts'
import { failStep, PATIENCE_MS, type Playback, settleEngine } from './playback.ts'
import type { ConnectStep, Step } from './trace.ts'

/** Opens a connection and, on the bus, takes the greeting. */
export async function openStepConnection(
  playback: Playback,
  name: string,
  step: ConnectStep,
  status = 101,
): Promise<void> {
  const { names, target } = playback
  const base = step.listener === 'ws2' ? (target.restrictedUrl ?? failStep('no restricted listener')) : target.url
  const connection = await openConnection(base + String(fill(step.path, names)), step.headers ?? {})
  if (typeof connection === 'number') {
    if (connection !== status) failStep(`the upgrade was answered with ${connection}`)
    return
  }
  if (status !== 101) failStep('the upgrade was not refused')
  playback.connections.set(name, connection)
  if (step.greet ?? /^\/(\?|$)/.test(step.path)) await greet(playback, name, connection)
}

async function greet(playback: Playback, name: string, connection: SocketConnection): Promise<void> {
  const { names } = playback
  for (const key of [`worker_id_${name}`, `reattach_token_${name}`]) {
    names.declare(key, 'uuid')
    names.free(key)
  }
  const hello = { type: 'workerregistered', worker_id: `$worker_id_${name}`, reattach_token: `$reattach_token_${name}` }
  const difference = differMessage({ expect: hello }, await take(connection, PATIENCE_MS), names)
  if (difference) failStep(`greeting: ${difference}`)
  await introduce(playback, connection)
}

/** Says who it is, where the engine waits for that. */
async function introduce({ names, target }: Playback, connection: SocketConnection): Promise<void> {
  if (!target.introduced) return
  const about = { invocation_id: randomUUID(), function_id: 'engine::workers::register' }
  connection.send(JSON.stringify({ type: 'invokefunction', ...about, data: { runtime: 'node' } }))
  const done = { type: 'invocationresult', ...about, result: { success: true } }
  const difference = differMessage({ expect: done }, await take(connection, PATIENCE_MS), names)
  if (difference) failStep(`introduction: ${difference}`)
}

/** Plays a step about an open connection. */
export async function playConnectionStep(playback: Playback, connection: SocketConnection, step: Step): Promise<void> {
  const { names } = playback
  if (step.send !== undefined) return connection.send(JSON.stringify(fill(step.send, names)))
  if (step.sendText !== undefined) return connection.send(String(fill(step.sendText, names)))
  if (step.sendBinary !== undefined) return connection.send(Buffer.from(String(fill(step.sendBinary, names))))
  if (step.close || step.terminate) return await leave(connection, step)
  if (step.expectClose !== undefined) return await awaitClose(connection, step)
  if (step.expectNothingForMs !== undefined) return await awaitSilence(connection, step.expectNothingForMs)
  const expected: Step = step.sync ? { expect: { type: 'pong' } } : step
  if (step.sync) connection.send('{"type":"ping"}')
  const difference = differMessage(expected, await take(connection, step.withinMs ?? PATIENCE_MS), names)
  if (difference) failStep(difference)
  if (isGreeting(expected.expect)) await introduce(playback, connection)
}

function isGreeting(frame: unknown): boolean {
  return (frame as { readonly type?: unknown } | undefined)?.type === 'workerregistered'
}

async function leave(connection: SocketConnection, step: Step): Promise<void> {
  if (step.close) connection.close()
  else connection.terminate()
  await connection.inbox.whenEnded(PATIENCE_MS)
  await settleEngine()
}

async function awaitClose(connection: SocketConnection, step: Step): Promise<void> {
  if (!(await connection.inbox.whenEnded(step.withinMs ?? PATIENCE_MS))) failStep('the connection is still open')
  if (connection.closeCode !== step.expectClose) failStep(`closed with ${connection.closeCode}`)
}

async function awaitSilence(connection: SocketConnection, forMs: number): Promise<void> {
  await sleep(forMs)
  if (connection.inbox.waiting.length > 0) failStep(`unexpected ${describeMessage(connection.inbox.waiting[0])}`)
  if (connection.inbox.ended) failStep(`closed with ${connection.closeCode}`)
}

async function take(connection: SocketConnection, withinMs: number): Promise<SocketMessage> {
  const message = await connection.inbox.next(withinMs)
  return message ?? failStep(connection.inbox.ended ? `closed with ${connection.closeCode}` : 'nothing came')
}

/** Compares a message with what a step expects. */
export function differMessage(step: Step, message: SocketMessage, names: Placeholders): string | undefined {
  const text = 'text' in message ? message.text : undefined
  if (step.expectBinary !== undefined) {
    return 'bytes' in message ? differ(step.expectBinary, message.bytes.toString(), names, 'bytes') : 'not binary'
  }
  if (text === undefined) return 'binary'
  const raw = step.expectRaw ?? step.expectText
  return raw === undefined ? differ(step.expect, parse(text), names) : differ(raw, text, names, 'text')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

export function describeMessage(message: SocketMessage | undefined): string {
  if (!message) return 'nothing'
  return 'text' in message ? brief(message.text) : `${message.bytes.length} bytes`
}
