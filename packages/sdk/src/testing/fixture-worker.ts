/** A worker process for tests: `node fixture-worker.ts '{"argv":[…],"env":{…},"mode":"…"}'`. */
import { getHeapSpaceStatistics } from 'node:v8'
import { z } from 'zod'
import { publish } from '../publish/index.ts'
import { runWorker } from '../run/run-worker.ts'

interface Orders {
  amount: number
  stateScope: string
  hiddenPrefixes: string[]
}

const { argv, env, mode } = JSON.parse(process.argv[2] ?? '{}') as {
  argv: string[]
  env: Record<string, string>
  mode: string
}

/** Makes what lives on for a moment. @returns the bytes that V8 takes for what was just made */
const kept: object[][] = []
function waste(): number {
  kept.push(Array.from({ length: 10_000 }, (_, n) => ({ n })))
  if (kept.length > 8) kept.shift()
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0
}

await runWorker<Orders>({
  name: 'fixture',
  version: '1.2.3',
  description: 'Sells things',
  command: 'iii-fixture',
  argv,
  env,
  options: {
    amount: { flag: '--amount', env: 'AMOUNT', yaml: 'amount', schema: z.number(), default: 1, describe: 'How much.' },
    stateScope: { yaml: 'scopes.orders', schema: z.string(), default: 'orders', describe: 'Where orders are kept.' },
    hiddenPrefixes: {
      flag: '--hidden-prefix',
      yaml: 'hidden_prefixes',
      schema: z.array(z.string()),
      default: [],
      describe: 'Ids that begin so are not shown.',
    },
  },
  findConflict({ amount, hiddenPrefixes }) {
    if (amount >= 0 || hiddenPrefixes.length === 0) return undefined
    return { options: ['amount', 'hiddenPrefixes'], reason: 'cannot go together' }
  },
  kindOfMany: () => (mode === 'many' ? 'many' : undefined),
  async serve(worker, settings, log) {
    if (mode === 'broken') throw new Error('nothing to sell')
    worker.registerFunction('fixture::settings', () => ({ ...settings.value, locked: settings.locked ?? null }))
    worker.registerFunction('fixture::throws', () => {
      throw new Error('boom')
    })
    if (mode === 'wasteful') worker.registerFunction('fixture::waste', waste)
    publish(worker, { skills: [{ id: 'fixture', skill: '# Fixture' }], log })
    log.debug('served')
    // What a worker in plain JavaScript may return.
    if (mode === 'arrow') return worker.registerFunction('fixture::last', () => 1) as never
    return {
      close: () => (mode === 'hangs' ? new Promise(() => undefined) : undefined),
      done: { done: worker.ready(), over: Promise.resolve() }[mode],
    }
  },
})
