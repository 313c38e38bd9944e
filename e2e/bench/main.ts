/** `pnpm bench [engine|bridge|sdk]`: what our parts cost, beside the least that could do the job, in the same run. */
import process from 'node:process'
import { type Arena, type Bench, openArena } from './arena.ts'
import { bridgeBenches } from './bridge-bench.ts'
import { engineBenches } from './engine-bench.ts'
import { measure } from './measure.ts'
import { sdkBenches } from './sdk-bench.ts'
import { formatTable } from './table.ts'

const benches: Record<string, readonly Bench[]> = { engine: engineBenches, bridge: bridgeBenches, sdk: sdkBenches }

const asked = process.argv.slice(2).filter((word) => word !== '--')
const unknown = asked.find((name) => !(name in benches))
if (unknown === undefined) {
  await using arena = await openArena()
  for (const name of asked.length > 0 ? asked : Object.keys(benches)) await run(arena, benches[name] ?? [])
} else {
  process.stderr.write(`No benchmark ${unknown}: there are ${Object.keys(benches).join(', ')}\n`)
  process.exitCode = 2
}

async function run(arena: Arena, group: readonly Bench[]): Promise<void> {
  for (const { title, inFlight = [1, 16], open } of group) {
    const subjects = await open(arena)
    for (const count of inFlight) process.stdout.write(formatTable(title, await measure(subjects, count)))
  }
}
