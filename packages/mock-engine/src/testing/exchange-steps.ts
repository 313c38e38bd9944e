import { setTimeout as sleep } from 'node:timers/promises'
import { type HttpExchange, type ResponseHead, startExchange } from './exchange.ts'
import { brief, differ } from './pattern.ts'
import { fill, type Placeholders } from './placeholders.ts'
import { failStep, PATIENCE_MS, type Playback, settleEngine } from './playback.ts'
import type { HttpStep, ResponsePattern, Step } from './trace.ts'

const RESPONSE_MS = 5000

/** Sends the request of a step. */
export async function request(playback: Playback, step: Step & { readonly http: HttpStep }): Promise<void> {
  const exchange = startExchange(playback.target.httpUrl, fill(step.http, playback.names) as HttpStep)
  playback.exchanges.set(step.http.id ?? `#${playback.exchanges.size}`, exchange)
  if (step.expectHttp) await awaitResponse(exchange, step.expectHttp, playback.names)
}

/** Plays a step about a request that was sent. */
export async function playExchange({ names }: Playback, exchange: HttpExchange, step: Step): Promise<void> {
  const within = step.withinMs ?? PATIENCE_MS
  if (step.write !== undefined) return exchange.write(String(fill(step.write, names)))
  if (step.expectHttp) return await awaitResponse(exchange, step.expectHttp, names)
  if (step.expectHead) return checkHead(await awaitHead(exchange, within), step.expectHead, names)
  if (step.expectNothingForMs !== undefined) return await awaitSilence(exchange, step.expectNothingForMs)
  if (step.abort) {
    exchange.abort()
    return await settleEngine()
  }
  if (step.expectEnd !== undefined) return await awaitEnd(exchange, step.expectEnd, within)
  const chunk = (await exchange.chunks.next(within)) ?? failStep('no chunk came')
  const difference = differ(step.expectChunk, chunk.toString(), names, 'chunk')
  if (difference) failStep(difference)
}

async function awaitResponse(
  { chunks, state }: HttpExchange,
  wanted: ResponsePattern,
  names: Placeholders,
): Promise<void> {
  if (!(await chunks.whenEnded(RESPONSE_MS))) failStep('the response has no end')
  const head = state.head ?? failStep('the connection was closed without a response')
  checkHead(head, wanted, names)
  const body = state.body.toString()
  const bodyDifference =
    ('json' in wanted ? differ(wanted.json, parse(body), names, 'body') : undefined) ??
    ('body' in wanted ? differ(wanted.body, body, names, 'body') : undefined)
  if (bodyDifference) failStep(bodyDifference)
  if (wanted.end && state.end !== wanted.end) failStep(`the response ended ${state.end}`)
  if (state.headAfterMs < (wanted.notBeforeMs ?? 0)) failStep(`answered after ${state.headAfterMs} ms already`)
}

async function awaitHead({ head, state }: HttpExchange, withinMs: number): Promise<ResponseHead> {
  return state.head ?? (await head.next(withinMs)) ?? failStep('no response head came')
}

function checkHead({ status, headers }: ResponseHead, wanted: ResponsePattern, names: Placeholders): void {
  if (wanted.status !== undefined && status !== wanted.status) failStep(`status ${status}, not ${wanted.status}`)
  for (const [name, pattern] of Object.entries(wanted.headers ?? {})) {
    const values = headers.filter(([key]) => key === name).map(([, value]) => value)
    const value = values.length > 1 ? values : values[0]
    const difference =
      pattern === null ? value && `${name} is there: ${brief(value)}` : differ(pattern, value, names, name)
    if (difference) failStep(String(difference))
  }
}

async function awaitEnd({ chunks, state }: HttpExchange, how: 'clean' | 'cut', withinMs: number): Promise<void> {
  if (!(await chunks.whenEnded(withinMs))) failStep('the response has no end')
  if (chunks.waiting.length > 0) failStep(`another chunk came: ${brief(String(chunks.waiting[0]))}`)
  if (state.end !== how) failStep(`the response ended ${state.end}`)
}

async function awaitSilence({ chunks, state }: HttpExchange, forMs: number): Promise<void> {
  const before = { head: state.head, length: state.body.length, end: state.end }
  await sleep(forMs)
  const after = { head: state.head, length: state.body.length, end: state.end }
  if (before.head !== after.head || before.length !== after.length || before.end !== after.end) {
    failStep(`something came: ${brief([after, chunks.waiting.length])}`)
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
