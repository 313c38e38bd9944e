import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Line, type Message, openLine } from './connection.ts'
import { brief, differ } from './pattern.ts'
import { fill, type Names } from './placeholders.ts'
import { mismatch, PATIENCE_MS, type Scene, settle } from './scene.ts'
import type { ConnectStep, Step } from './trace.ts'

/** Opens a connection and, on the bus, takes the greeting. */
export async function connect(scene: Scene, name: string, step: ConnectStep, status = 101): Promise<void> {
  const { names, stage } = scene
  const base = step.listener === 'ws2' ? (stage.restrictedUrl ?? mismatch('no restricted listener')) : stage.url
  const line = await openLine(base + String(fill(step.path, names)), step.headers ?? {})
  if (typeof line === 'number') {
    if (line !== status) mismatch(`the upgrade was answered with ${line}`)
    return
  }
  if (status !== 101) mismatch('the upgrade was not refused')
  scene.lines.set(name, line)
  if (step.greet ?? /^\/(\?|$)/.test(step.path)) await greet(scene, name, line)
}

async function greet(scene: Scene, name: string, line: Line): Promise<void> {
  const { names } = scene
  for (const key of [`worker_id_${name}`, `reattach_token_${name}`]) {
    names.declare(key, 'uuid')
    names.free(key)
  }
  const hello = { type: 'workerregistered', worker_id: `$worker_id_${name}`, reattach_token: `$reattach_token_${name}` }
  const difference = differMessage({ expect: hello }, await take(line, PATIENCE_MS), names)
  if (difference) mismatch(`greeting: ${difference}`)
  await introduce(scene, line)
}

/** Says who it is, where the engine waits for that. */
async function introduce({ names, stage }: Scene, line: Line): Promise<void> {
  if (!stage.introduced) return
  const about = { invocation_id: randomUUID(), function_id: 'engine::workers::register' }
  line.send(JSON.stringify({ type: 'invokefunction', ...about, data: { runtime: 'node' } }))
  const done = { type: 'invocationresult', ...about, result: { success: true } }
  const difference = differMessage({ expect: done }, await take(line, PATIENCE_MS), names)
  if (difference) mismatch(`introduction: ${difference}`)
}

/** Plays a step about an open connection. */
export async function playLine(scene: Scene, line: Line, step: Step): Promise<void> {
  const { names } = scene
  if (step.send !== undefined) return line.send(JSON.stringify(fill(step.send, names)))
  if (step.sendText !== undefined) return line.send(String(fill(step.sendText, names)))
  if (step.sendBinary !== undefined) return line.send(Buffer.from(String(fill(step.sendBinary, names))))
  if (step.close || step.terminate) return await leave(line, step)
  if (step.expectClose !== undefined) return await awaitClose(line, step)
  if (step.expectNothingForMs !== undefined) return await awaitSilence(line, step.expectNothingForMs)
  const expected: Step = step.sync ? { expect: { type: 'pong' } } : step
  if (step.sync) line.send('{"type":"ping"}')
  const difference = differMessage(expected, await take(line, step.withinMs ?? PATIENCE_MS), names)
  if (difference) mismatch(difference)
  if (isGreeting(expected.expect)) await introduce(scene, line)
}

function isGreeting(frame: unknown): boolean {
  return (frame as { readonly type?: unknown } | undefined)?.type === 'workerregistered'
}

async function leave(line: Line, step: Step): Promise<void> {
  if (step.close) line.close()
  else line.terminate()
  await line.inbox.whenEnded(PATIENCE_MS)
  await settle()
}

async function awaitClose(line: Line, step: Step): Promise<void> {
  if (!(await line.inbox.whenEnded(step.withinMs ?? PATIENCE_MS))) mismatch('the connection is still open')
  if (line.closeCode !== step.expectClose) mismatch(`closed with ${line.closeCode}`)
}

async function awaitSilence(line: Line, forMs: number): Promise<void> {
  await sleep(forMs)
  if (line.inbox.waiting.length > 0) mismatch(`unexpected ${show(line.inbox.waiting[0])}`)
  if (line.inbox.ended) mismatch(`closed with ${line.closeCode}`)
}

async function take(line: Line, withinMs: number): Promise<Message> {
  const message = await line.inbox.next(withinMs)
  return message ?? mismatch(line.inbox.ended ? `closed with ${line.closeCode}` : 'nothing came')
}

/** Compares a message with what a step expects. */
export function differMessage(step: Step, message: Message, names: Names): string | undefined {
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

export function show(message: Message | undefined): string {
  if (!message) return 'nothing'
  return 'text' in message ? brief(message.text) : `${message.bytes.length} bytes`
}
