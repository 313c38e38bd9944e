import { parseArgs } from 'node:util'
import type { EngineGeneration } from '@iii/mock-engine'
import { UsageError } from '../usage.ts'
import { FAULTS } from './faults/index.ts'

export interface SoakOptions {
  readonly minutes: number
  /** Its program or address; undefined for an embedded one. */
  readonly engine: string | undefined
  readonly http: string | undefined
  readonly version: EngineGeneration
  readonly calm: boolean
  /** Calls a second. */
  readonly rate: number
  /** Seconds from one fault to the next. */
  readonly every: number
  readonly seed: number
  /** Names of faults have one of these in them; all where there is none. */
  readonly only: readonly string[]
}

export const SOAK_USAGE = `pnpm soak
  --minutes N           how long (10)
  --engine PROGRAM      on an engine that is started for this, in a folder of its own. Default: an embedded one
  --engine URL          on a running one, for tests: rows of our workers are deleted, and nothing is done to it
  --http URL            its HTTP port, where it does not tell it itself
  --engine-version V    what an embedded one is like: 0.22 or 0.23 (0.22)
  --rate N              calls a second (200)
  --every SECONDS       from one fault to the next (60)
  --only WORDS          faults that have this in their name; may be repeated (all)
  --seed N              the same faults in the same order as with this seed (another one each time)
  --calm                no faults: bridges, registries and commands side by side, and what grows

Faults:
${FAULTS.map(({ name }) => `  ${name}`).join('\n')}
`
const MAX_SEED = 0x7fff_0000

/** @throws UsageError for words that are none of these */
export function readOptions(words: readonly string[]): SoakOptions {
  const { minutes, engine, http, rate, every, seed, only, calm, 'engine-version': version } = parse(words)
  for (const [name, text] of Object.entries({ minutes, rate, every })) {
    if (!(Number(text) > 0)) refuse(`--${name} has to be more than 0, not '${text}'`)
  }
  if (!/^\d{1,10}$/.test(seed)) refuse(`--seed has to be a number, not '${seed}'`)
  if (version !== '0.22' && version !== '0.23') return refuse(`--engine-version takes 0.22 or 0.23, not ${version}`)
  const unknown = only.find((part) => !FAULTS.some(({ name }) => name.includes(part)))
  if (unknown !== undefined) refuse(`No fault has '${unknown}' in its name`)
  const numbers = { minutes: Number(minutes), rate: Number(rate), every: Number(every), seed: Number(seed) }
  return { ...numbers, engine, http, version, calm, only }
}

function parse(words: readonly string[]) {
  try {
    return parseArgs({
      args: [...words],
      options: {
        minutes: { type: 'string', default: '10' },
        engine: { type: 'string' },
        http: { type: 'string' },
        'engine-version': { type: 'string', default: '0.22' },
        rate: { type: 'string', default: '200' },
        every: { type: 'string', default: '60' },
        only: { type: 'string', multiple: true, default: [] },
        seed: { type: 'string', default: String(Math.floor(Math.random() * MAX_SEED)) },
        calm: { type: 'boolean', default: false },
      },
    }).values
  } catch (error) {
    return refuse((error as Error).message)
  }
}

function refuse(why: string): never {
  throw new UsageError(`${why}\n\n${SOAK_USAGE}`)
}
