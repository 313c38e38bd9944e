import { setTimeout as sleep } from 'node:timers/promises'
import { type Exchange, type Head, startExchange } from './exchange.ts'
import { brief, differ } from './pattern.ts'
import { fill, type Placeholders } from './placeholders.ts'
import { mismatch, PATIENCE_MS, type Playback, settle } from './playback.ts'
import type { HttpStep, ResponsePattern, Step } from './trace.ts'

const RESPONSE_MS = 5000

/** Sends the request of a step. */
export async function request(playback: Playback, step: Step & { readonly http: HttpStep }): Promise<void> {
  const exchange = startExchange(playback.target.httpUrl, fill(step.http, playback.names) as HttpStep)
  playback.exchanges.set(step.http.id ?? `#${playback.exchanges.size}`, exchange)
  if (step.expectHttp) await awaitResponse(exchange, step.expectHttp, playback.names)
}

/** Plays a step about a request that was sent. */
export async function playExchange({ names }: Playback, exchange: Exchange, step: Step): Promise<void> {
  const within = step.withinMs ?? PATIENCE_MS
  if (step.write !== undefined) return exchange.write(String(fill(step.write, names)))
  if (step.expectHttp) return await awaitResponse(exchange, step.expectHttp, names)
  if (step.expectHead) return checkHead(await awaitHead(exchange, within), step.expectHead, names)
  if (step.expectNothingForMs !== undefined) return await awaitSilence(exchange, step.expectNothingForMs)
  if (step.abort) {
    exchange.abort()
    return await settle()
  }
  if (step.expectEnd !== undefined) return await awaitEnd(exchange, step.expectEnd, within)
  const chunk = (await exchange.chunks.next(within)) ?? mismatch('no chunk came')
  const difference = differ(step.expectChunk, chunk.toString(), names, 'chunk')
  if (difference) mismatch(difference)
}

async function awaitResponse({ chunks, state }: Exchange, wanted: ResponsePattern, names: Placeholders): Promise<void> {
  if (!(await chunks.whenEnded(RESPONSE_MS))) mismatch('the response has no end')
  const head = state.head ?? mismatch('the connection was closed without a response')
  checkHead(head, wanted, names)
  const body = state.body.toString()
  const bodyDifference =
    ('json' in wanted ? differ(wanted.json, parse(body), names, 'body') : undefined) ??
    ('body' in wanted ? differ(wanted.body, body, names, 'body') : undefined)
  if (bodyDifference) mismatch(bodyDifference)
  if (wanted.end && state.end !== wanted.end) mismatch(`the response ended ${state.end}`)
  if (state.headAfterMs < (wanted.notBeforeMs ?? 0)) mismatch(`answered after ${state.headAfterMs} ms already`)
}

async function awaitHead({ head, state }: Exchange, withinMs: number): Promise<Head> {
  return state.head ?? (await head.next(withinMs)) ?? mismatch('no response head came')
}

function checkHead({ status, headers }: Head, wanted: ResponsePattern, names: Placeholders): void {
  if (wanted.status !== undefined && status !== wanted.status) mismatch(`status ${status}, not ${wanted.status}`)
  for (const [name, pattern] of Object.entries(wanted.headers ?? {})) {
    const values = headers.filter(([key]) => key === name).map(([, value]) => value)
    const value = values.length > 1 ? values : values[0]
    const difference =
      pattern === null ? value && `${name} is there: ${brief(value)}` : differ(pattern, value, names, name)
    if (difference) mismatch(String(difference))
  }
}

async function awaitEnd({ chunks, state }: Exchange, how: 'clean' | 'cut', withinMs: number): Promise<void> {
  if (!(await chunks.whenEnded(withinMs))) mismatch('the response has no end')
  if (chunks.waiting.length > 0) mismatch(`another chunk came: ${brief(String(chunks.waiting[0]))}`)
  if (state.end !== how) mismatch(`the response ended ${state.end}`)
}

async function awaitSilence({ chunks, state }: Exchange, forMs: number): Promise<void> {
  const before = { head: state.head, length: state.body.length, end: state.end }
  await sleep(forMs)
  const after = { head: state.head, length: state.body.length, end: state.end }
  if (before.head !== after.head || before.length !== after.length || before.end !== after.end) {
    mismatch(`something came: ${brief([after, chunks.waiting.length])}`)
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
