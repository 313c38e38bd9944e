import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Line } from './connection.ts'
import { connect, differMessage, playLine, show } from './connection-steps.ts'
import { playExchange, request } from './exchange-steps.ts'
import { createNames } from './placeholders.ts'
import { mismatch, PATIENCE_MS, type Scene, type Stage, TraceMismatch } from './scene.ts'
import type { Step, Trace } from './trace.ts'

/** Plays a trace against an engine. @throws TraceMismatch that names the first step the engine does not follow. */
export async function replay(trace: Trace, stage: Stage): Promise<void> {
  const given = new Map<string, unknown>([
    ['run', randomUUID().slice(0, 8)],
    ['http_host', new URL(stage.httpUrl).host],
  ])
  const scene: Scene = { stage, names: createNames(trace.placeholders, given), lines: new Map(), exchanges: new Map() }
  try {
    for (const name of trace.connections) await connect(scene, name, { path: '/' })
    for (const [i, step] of trace.steps.entries())
      await play(scene, step).catch((error: unknown) => blame(i, step, error))
    for (const [name, { inbox }] of scene.lines) {
      if (inbox.waiting.length > 0) mismatch(`more came on ${name}: ${show(inbox.waiting[0])}`)
    }
  } finally {
    for (const line of scene.lines.values()) line.terminate()
    for (const exchange of scene.exchanges.values()) exchange.abort()
  }
}

function blame(index: number, step: Step, error: unknown): never {
  if (!(error instanceof TraceMismatch)) throw error
  throw new TraceMismatch(`step ${index + 1}, ${JSON.stringify(step).slice(0, 300)}\n${error.message}`)
}

async function play(scene: Scene, step: Step): Promise<void> {
  if (step.waitMs !== undefined) return void (await sleep(step.waitMs))
  if (step.unordered) return await playUnordered(scene, step.unordered)
  if (step.http) return await request(scene, { ...step, http: step.http })
  if (step.of !== undefined) {
    return await playExchange(scene, scene.exchanges.get(step.of) ?? mismatch(`no request ${step.of}`), step)
  }
  const name = step.conn ?? mismatch('a step about nothing')
  if (step.connect) return await connect(scene, name, step.connect, step.expectStatus)
  await playLine(scene, lineOf(scene, name), step)
}

function lineOf({ lines }: Scene, name: string): Line {
  return lines.get(name) ?? mismatch(`no connection ${name}`)
}

/** Each message must fit one of the expectations about its connection; each expectation takes one message. */
async function playUnordered(scene: Scene, steps: readonly Step[]): Promise<void> {
  for (const name of new Set(steps.map((step) => step.conn ?? ''))) {
    await takeAll(
      scene,
      name,
      steps.filter((step) => step.conn === name),
    )
  }
}

async function takeAll(scene: Scene, name: string, steps: readonly Step[]): Promise<void> {
  const open = [...steps]
  const { inbox } = lineOf(scene, name)
  while (open.length > 0) {
    const message = (await inbox.next(PATIENCE_MS)) ?? mismatch(`nothing more came on ${name}`)
    const found = open.findIndex((step) => differMessage(step, message, scene.names.copy()) === undefined)
    const step = open[found] ?? mismatch(`${show(message)} on ${name} is none of what may come`)
    differMessage(step, message, scene.names)
    open.splice(found, 1)
  }
}
