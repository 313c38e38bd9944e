import process from 'node:process'
import type { EngineAddress } from '../chosen-engine.ts'
import { reserveEngine } from '../reservation.ts'
import { UsageError } from '../usage.ts'
import { readEngineAddress, VARIABLES_HELP } from './address.ts'

/** What scenarios take for granted: workers of an engine, by a trigger type that each brings along. */
const NEEDED = {
  http: 'iii-http',
  state: 'iii-state',
  subscribe: 'iii-pubsub',
  'durable:subscriber': 'iii-queue',
  cron: 'iii-cron',
  log: 'iii-observability',
}

/** A running engine that variables name, for one run alone. */
export interface NamedEngine extends AsyncDisposable {
  readonly address: EngineAddress
}

/** Takes the engine that variables name, when they do. @throws Refusal when it cannot be had. */
export async function reserveNamedEngine(): Promise<NamedEngine | undefined> {
  const address = readEngineAddress(process.env)
  if (typeof address === 'string') throw new UsageError(`${address}\n\n${VARIABLES_HELP}`)
  if (address === undefined) return undefined
  const reservation = await reserveEngine(address, NEEDED)
  return { address, [Symbol.asyncDispose]: () => reservation[Symbol.asyncDispose]() }
}
