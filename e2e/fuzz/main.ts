/**
 * `pnpm fuzz`: inputs of which nobody has thought, for all that reads what others write. Each target never crashes, never hangs, answers in
 * its protocol, tells nothing of our files, and serves the next good request.
 */
import process from 'node:process'
import { parseArgs } from 'node:util'
import { layOut } from '../bench/table.ts'
import { makePrograms } from '../bundle.ts'
import { createCleanup } from '../cleanup.ts'
import { runWithUsage, UsageError } from '../usage.ts'
import { fuzz } from './fuzz.ts'
import { startTargets, TARGETS } from './stage.ts'

const USAGE = `pnpm fuzz
  --minutes N    how long (10)
  --seed N       begins with this seed, to see a find again (another one each time)
  --only NAME    one of ${TARGETS.join(', ')}; may be repeated (all)
`
const MAX_SEED = 0x7fff_0000

await runWithUsage(USAGE, (words) => run(readOptions(words)))

interface Options {
  readonly minutes: number
  readonly seed: number
  readonly only: readonly string[]
}

function readOptions(words: readonly string[]): Options {
  const refuse = (why: string): never => {
    throw new UsageError(`${why}\n\n${USAGE}`)
  }
  const read = () =>
    parseArgs({
      args: [...words],
      options: {
        minutes: { type: 'string', default: '10' },
        seed: { type: 'string', default: String(Math.floor(Math.random() * MAX_SEED)) },
        only: { type: 'string', multiple: true, default: [...TARGETS] },
      },
    }).values
  let values: ReturnType<typeof read>
  try {
    values = read()
  } catch (error) {
    return refuse((error as Error).message)
  }
  const { minutes, seed, only } = values
  if (!(Number(minutes) > 0)) refuse(`--minutes has to be more than 0, not '${minutes}'`)
  if (!/^\d{1,10}$/.test(seed)) refuse(`--seed has to be a number, not '${seed}'`)
  const unknown = only.find((name) => !TARGETS.includes(name))
  if (unknown !== undefined) refuse(`There is no target '${unknown}'`)
  return { minutes: Number(minutes), seed: Number(seed), only }
}

async function run({ minutes, seed, only }: Options): Promise<void> {
  const { use, run: cleanUp } = createCleanup()
  try {
    await makePrograms([
      'apps/mcp-bridge/src/main.ts',
      'apps/skills-registry/src/main.ts',
      'e2e/lifeline.ts',
      'e2e/sample-worker/main.ts',
    ])
    const { targets } = use(await startTargets(only))
    say(`seed ${seed}, ${minutes} minutes, ${targets.map(({ name }) => name).join(', ')}`)
    const results = await fuzz(targets, { seed, until: performance.now() + minutes * 60_000, say })
    const rows = results.map(({ name, inputs, rounds, ms, finds }) => [
      ...[name, String(inputs), (inputs / Math.max(ms / 1000, 1)).toFixed(0)],
      ...[String(rounds), String(finds.length)],
    ])
    const total = String(results.reduce((sum, { inputs }) => sum + inputs, 0))
    const table = [['', 'inputs', 'per second', 'rounds', 'finds'], ...rows, ['all', total, '', '', '']]
    process.stdout.write(layOut(`${minutes} minutes with seed ${seed}`, table))
    if (results.some(({ finds }) => finds.length > 0)) process.exitCode = 1
  } finally {
    await cleanUp()
  }
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
