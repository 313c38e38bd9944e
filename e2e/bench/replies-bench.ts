import { availableParallelism } from 'node:os'
import process from 'node:process'
import type { Arena } from './arena.ts'
import { connectFrameCaller } from './bare-caller.ts'
import type { ReplyOptions } from './bench-options.ts'
import type { BenchSubject } from './measure.ts'
import { PAYLOAD } from './payload.ts'
import { countReplies, type ReplyTally } from './reply-count.ts'
import { layOut } from './table.ts'

/**
 * Counts the replies that an engine loses because they come back too soon, with all cores busy: of workers without an SDK that
 * hold a large reply until its call is so old, and of ours, large and small.
 */
export async function runReplies(arena: Arena, options: ReplyOptions): Promise<readonly ReplyTally[]> {
  const { count, inFlight, minutes, burn, bytes } = options
  const subjects = await openSubjects(arena, options)
  if (burn) startBurners(arena)
  const endsAt = performance.now() + minutes * 60_000
  const tallies = await countReplies(subjects, { count, inFlight, endsAt }, tellProgress)
  process.stdout.write(
    formatTallies(`replies: ${inFlight} in flight, of ${bytes} bytes${burn ? ', all cores busy' : ''}`, tallies),
  )
  return tallies
}

async function openSubjects(arena: Arena, { holdMs, bytes, ours, official }: ReplyOptions): Promise<BenchSubject[]> {
  const open = async (name: string, pid: number, functionId: string, data: unknown): Promise<BenchSubject> => {
    const { run } = arena.use(await connectFrameCaller(arena.stack.engineUrl, functionId, data))
    return { name, pid, run }
  }
  const subjects: BenchSubject[] = []
  if (holdMs.length > 0) {
    const pid = await arena.startWorker('bare-worker.ts', 'bare::fill')
    const fill = (name: string, more: object) => open(`bare, ${name}`, pid, 'bare::fill', { bytes, ...more })
    for (const ms of holdMs) subjects.push(await fill(`after ${ms} ms`, { holdMs: ms }))
    subjects.push(await fill('at once and again', { holdMs: 0, againMs: 20 }))
  }
  if (official) {
    const pid = await arena.startWorker('official-worker.ts', 'official::echo')
    subjects.push(await open('official SDK, small', pid, 'official::echo', PAYLOAD))
  }
  if (!ours) return subjects
  const pid = await arena.startWorker('floor-worker.ts', 'floor::fill')
  const large = await open(`@iii/sdk, ${bytes} bytes`, pid, 'floor::fill', { bytes })
  return [...subjects, large, await open('@iii/sdk, small', pid, 'floor::echo', PAYLOAD)]
}

function startBurners({ start }: Arena): void {
  const entry = new URL('burner.ts', import.meta.url)
  for (let core = 0; core < availableParallelism(); core += 1) start({ name: 'burner', entry })
}

function tellProgress(tallies: readonly ReplyTally[]): void {
  const parts = tallies.map(({ name, calls, answered }) => `${name}: ${calls} (${calls - answered} open)`)
  process.stderr.write(`${parts.join(', ')}\n`)
}

function formatTallies(title: string, tallies: readonly ReplyTally[]): string {
  const rows = tallies.map(({ name, calls, answered, late, seconds, cpuMs }) => [
    name,
    ...[String(calls), String(calls - answered), String(late)],
    ...[(calls / seconds).toFixed(0), (cpuMs / calls).toFixed(3)],
  ])
  return layOut(title, [['', 'calls', 'lost', 'late', 'per second', 'cpu ms'], ...rows])
}
