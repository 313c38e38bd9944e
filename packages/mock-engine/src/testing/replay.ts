import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SocketConnection } from './connection.ts'
import { describeMessage, differMessage, openStepConnection, playConnectionStep } from './connection-steps.ts'
import { playExchange, request } from './exchange-steps.ts'
import { createPlaceholders } from './placeholders.ts'
import { failStep, PATIENCE_MS, type Playback, type PlaybackTarget, TraceMismatch } from './playback.ts'
import type { RecordedTrace, Step } from './trace.ts'

/** Plays a trace against an engine. @throws TraceMismatch that names the first step the engine does not follow. */
export async function replay(trace: RecordedTrace, target: PlaybackTarget): Promise<void> {
  const given = new Map<string, unknown>([
    ['run', randomUUID().slice(0, 8)],
    ['http_host', new URL(target.httpUrl).host],
  ])
  const playback: Playback = {
    target,
    names: createPlaceholders(trace.placeholders, given),
    connections: new Map(),
    exchanges: new Map(),
  }
  try {
    for (const name of trace.connections) await openStepConnection(playback, name, { path: '/' })
    for (const [i, step] of trace.steps.entries())
      await play(playback, step).catch((error: unknown) => blame(i, step, error))
    for (const [name, { inbox }] of playback.connections) {
      if (inbox.waiting.length > 0) failStep(`more came on ${name}: ${describeMessage(inbox.waiting[0])}`)
    }
  } finally {
    for (const connection of playback.connections.values()) connection.terminate()
    for (const exchange of playback.exchanges.values()) exchange.abort()
  }
}

function blame(index: number, step: Step, error: unknown): never {
  if (!(error instanceof TraceMismatch)) throw error
  throw new TraceMismatch(`step ${index + 1}, ${JSON.stringify(step).slice(0, 300)}\n${error.message}`)
}

async function play(playback: Playback, step: Step): Promise<void> {
  if (step.waitMs !== undefined) return void (await sleep(step.waitMs))
  if (step.unordered) return await playUnordered(playback, step.unordered)
  if (step.http) return await request(playback, { ...step, http: step.http })
  if (step.of !== undefined) {
    return await playExchange(playback, playback.exchanges.get(step.of) ?? failStep(`no request ${step.of}`), step)
  }
  const name = step.conn ?? failStep('a step about nothing')
  if (step.connect) return await openStepConnection(playback, name, step.connect, step.expectStatus)
  await playConnectionStep(playback, connectionOf(playback, name), step)
}

function connectionOf({ connections }: Playback, name: string): SocketConnection {
  return connections.get(name) ?? failStep(`no connection ${name}`)
}

/** Each message must fit one of the expectations about its connection; each expectation takes one message. */
async function playUnordered(playback: Playback, steps: readonly Step[]): Promise<void> {
  for (const name of new Set(steps.map((step) => step.conn ?? ''))) {
    await takeAll(
      playback,
      name,
      steps.filter((step) => step.conn === name),
    )
  }
}

async function takeAll(playback: Playback, name: string, steps: readonly Step[]): Promise<void> {
  const open = [...steps]
  const { inbox } = connectionOf(playback, name)
  while (open.length > 0) {
    const message = (await inbox.next(PATIENCE_MS)) ?? failStep(`nothing more came on ${name}`)
    const found = open.findIndex((step) => differMessage(step, message, playback.names.copy()) === undefined)
    const step = open[found] ?? failStep(`${describeMessage(message)} on ${name} is none of what may come`)
    differMessage(step, message, playback.names)
    open.splice(found, 1)
  }
}
