/** `pnpm bench [engine|bridge|stdio|sdk|skills]`: what our parts cost, beside the least that could do the job, in the same run. */
import { writeFile } from 'node:fs/promises'
import process from 'node:process'
import { type Arena, type Bench, openArena } from './arena.ts'
import { bridgeBenches } from './bridge-bench.ts'
import { measureCallFeed } from './call-feed-bench.ts'
import { engineBenches } from './engine-bench.ts'
import { type Figures, measure } from './measure.ts'
import { sdkBenches } from './sdk-bench.ts'
import { skillsBenches } from './skills-bench.ts'
import { stdioBenches } from './stdio-bench.ts'
import { formatTable } from './table.ts'

const benches: Record<string, readonly Bench[]> = {
  engine: engineBenches,
  bridge: bridgeBenches,
  stdio: stdioBenches,
  sdk: sdkBenches,
  skills: skillsBenches,
}
/** Everything that was measured, for whoever compares runs; below the root of the repository. */
const RESULTS = 'node_modules/.cache/bench.json'

const asked = process.argv.slice(2).filter((word) => word !== '--')
const unknown = asked.find((name) => !(name in benches))
if (unknown === undefined) {
  await using arena = await openArena()
  const results = []
  for (const name of asked.length > 0 ? asked : Object.keys(benches)) {
    results.push(...(await run(arena, benches[name] ?? [])))
    if (name === 'bridge') process.stdout.write(await measureCallFeed())
  }
  await writeFile(new URL(`../../${RESULTS}`, import.meta.url), `${JSON.stringify(results, null, 2)}\n`)
  process.stdout.write(`\nThe same as JSON: ${RESULTS}\n`)
} else {
  process.stderr.write(`No benchmark ${unknown}: there are ${Object.keys(benches).join(', ')}\n`)
  process.exitCode = 2
}

async function run(arena: Arena, group: readonly Bench[]): Promise<{ bench: string; figures: Figures[] }[]> {
  const results = []
  for (const { title, inFlight = [1, 16], open } of group) {
    const subjects = await open(arena)
    for (const count of inFlight) {
      const figures = await measure(subjects, count)
      process.stdout.write(formatTable(title, figures))
      results.push({ bench: title, figures })
    }
  }
  return results
}
