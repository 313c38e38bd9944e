import { parseArgs } from 'node:util'

/** What a run of benchmarks is asked for. */
export interface BenchOptions {
  readonly names: readonly string[]
  /** An engine that somebody started; without one each bench has an embedded one. */
  readonly engine: string | undefined
  /** Its HTTP port, where it does not tell it itself. */
  readonly http: string | undefined
  /** A bridge of another build, to be measured beside the one of these sources. */
  readonly beside: string | undefined
  /** Leaves out benches whose title does not have it. */
  readonly only: string
  readonly replies: ReplyOptions
}

export interface ReplyOptions {
  /** How many replies of each kind. */
  readonly count: number
  readonly inFlight: number
  /** Size of a large reply. */
  readonly bytes: number
  /** How old a call is at least when a worker without our SDK replies, in milliseconds; each is counted. */
  readonly holdMs: readonly number[]
  /** Ends the count, whatever is counted by then. */
  readonly minutes: number
  /** Whether something else keeps all cores busy meanwhile. */
  readonly burn: boolean
  /** Whether workers on our SDK are counted too. */
  readonly ours: boolean
  /** Whether a worker on the official SDK replies as well. */
  readonly official: boolean
}

export const BENCH_USAGE = `pnpm bench [engine|bridge|stdio|sdk|skills|runs|mcp-client|freshness|replies|search|page …]
  --engine URL   on a running engine, for tests: rows of our workers are deleted. Default: an embedded one
  --http URL     its HTTP port, where it does not tell it itself
  --only TEXT    only benches whose title has it
  --beside FILE  bridge: another build of it, measured beside (bundle/index.mjs)
mcp-client, freshness, replies, search and page run only when asked for; replies knows
  --count N      of each kind (20000)
  --in-flight N  at once (16)
  --bytes N      of a large reply (20000)
  --hold MS,MS   a bare worker that replies to a call no sooner than that (0,0.2), or none
  --minutes N    the longest that it may take (30)
  --no-burn      without keeping all cores busy
  --no-ours      the bare worker alone
  --official     a worker on the official SDK as well
`

/** @returns a text that says what is wrong with the words. */
export function readBenchOptions(words: readonly string[]): BenchOptions | string {
  try {
    const { values, positionals } = parseArgs({
      args: [...words],
      allowPositionals: true,
      allowNegative: true,
      options: {
        engine: { type: 'string' },
        http: { type: 'string' },
        beside: { type: 'string' },
        only: { type: 'string', default: '' },
        count: { type: 'string', default: '20000' },
        'in-flight': { type: 'string', default: '16' },
        bytes: { type: 'string', default: '20000' },
        hold: { type: 'string', default: '0,0.2' },
        minutes: { type: 'string', default: '30' },
        burn: { type: 'boolean', default: true },
        ours: { type: 'boolean', default: true },
        official: { type: 'boolean', default: false },
      },
    })
    const { engine, http, beside, only, burn, ours, official, count, bytes, hold, minutes } = values
    if (http !== undefined && engine === undefined) return '--http goes with --engine.'
    const holdMs = hold === 'none' ? [] : hold.split(',').map((text) => readNumber('hold', text))
    const replies = {
      count: readNumber('count', count),
      inFlight: readNumber('in-flight', values['in-flight']),
      bytes: readNumber('bytes', bytes),
      minutes: readNumber('minutes', minutes),
      holdMs,
      burn,
      ours,
      official,
    }
    return { names: positionals, engine, http, beside, only, replies }
  } catch (error) {
    return (error as Error).message
  }
}

function readNumber(name: string, text: string): number {
  const number = Number(text)
  if (text.trim() === '' || !Number.isFinite(number) || number < 0) throw new Error(`--${name} is no number: '${text}'`)
  return number
}
