import type { Worker } from '@iii/sdk'
import { CommandFailure, EXIT, formatCount } from '@iii/sdk/cli'
import { z } from 'zod'
import { isJobName } from '../jobs/declaration.ts'
import { isHolderId } from '../lock/holder.ts'
import type { Locks, Unlocked } from '../lock/locks.ts'
import { isRunId } from '../record/run-id.ts'
import { isEnded } from '../record/status.ts'
import type { Removed } from '../store/retention.ts'
import { showResult } from './inspect.ts'
import type { RunsWork } from './session.ts'

const Cancelled = z.object({ cancelled: z.boolean() })
const CANCEL_MS = 5_000

/** `cancel RUN`: tells the process that runs it. */
export const cancel: RunsWork = async (session) => {
  const [id = ''] = session.operands
  if (!isRunId(id)) throw new CommandFailure(EXIT.usage, `'${id}' is no run: \`iii-runs runs\` lists them`)
  const { store, worker } = await session.connect()
  const row = await store.runs.readRow(id)
  if (row === undefined) throw new CommandFailure(EXIT.missing, `there is no run ${id}, or not any more`)
  if (isEnded(row.status)) throw new CommandFailure(EXIT.failed, `the run ${id} has ended already: ${row.status}`)
  const isTold = isHolderId(row.holder) && (await tell(worker, row.holder, id))
  if (!isTold) {
    const advice = 'its process is gone, does not answer, or runs it no more; `iii-runs gc` marks it as unknown'
    throw new CommandFailure(EXIT.failed, `the run ${id} could not be cancelled: ${advice}`)
  }
  return showResult(
    session,
    { run_id: id, cancelled: true },
    () => `${id} is cancelled: what is under way ends, nothing more begins\n`,
  )
}

async function tell(worker: Pick<Worker, 'trigger'>, holder: string, id: string): Promise<boolean> {
  const request = { function_id: holder, payload: { cancel: id }, timeoutMs: CANCEL_MS }
  const answer = await worker.trigger(request).catch(() => undefined)
  return Cancelled.safeParse(answer).data?.cancelled === true
}

/** `unlock NAME`: for people who know that nobody is at work. */
export const unlock: RunsWork = async (session) => {
  const [name = ''] = session.operands
  if (!isJobName(name))
    throw new CommandFailure(EXIT.usage, `'${name}' is no lock: \`iii-runs list\` shows the locks of jobs`)
  const { locks, runner } = await session.connect()
  const held = await locks.look(name).catch(() => undefined)
  if (held !== undefined && !held.isGone && !session.flags.force) {
    const risk = 'if it is taken away, another run may begin beside it, and this one fails at its next beat'
    const advice = `cancel it with \`iii-runs cancel ${held.run}\`, or say --force`
    throw new CommandFailure(
      EXIT.failed,
      `the lock ${name} belongs to ${held.holder}, which lives (run ${held.run}): ${risk}; ${advice}`,
    )
  }
  const unlocked = await locks.unlock(name)
  const { ended, isEmptied } = unlocked
  if (ended !== undefined) await runner.settle(ended.run)
  const result = {
    lock: name,
    unlocked: ended !== undefined || isEmptied,
    ...(ended && { run_id: ended.run }),
    ...(isEmptied && { foreign_row: true }),
  }
  return showResult(session, result, () => describeUnlocked(name, unlocked))
}

function describeUnlocked(name: string, { ended, isEmptied }: Unlocked): string {
  if (isEmptied) return `the lock ${name} is free: what somebody else had written in its row is removed\n`
  return ended === undefined ? `nobody has the lock ${name}\n` : `the lock ${name} is free; run ${ended.run} had it\n`
}

/** `gc`: as often as something is left over, since the runner removes so much at a time. */
export const collect: RunsWork = async (session) => {
  const { runner, locks, options } = await session.connect()
  const all = { runs: 0, calls: 0, ended: 0 }
  for (let isMore = true; isMore; ) {
    const { runs, calls, ended } = await runner.collect()
    all.runs += runs
    all.calls += calls
    all.ended += ended
    isMore = runs + calls > 0
  }
  const names = new Set(['default', ...Object.values(options().jobs).map(({ lock }) => lock)])
  const freed = await Promise.all([...names].map(async (name) => ((await freeDead(locks, name)) ? [name] : [])))
  return showResult(session, { ...all, freed: freed.flat() }, describeCollected)
}

/** Of a run that is recorded it is free by now; a process may have been killed before it wrote its record. */
async function freeDead(locks: Locks, name: string): Promise<boolean> {
  // A row that no lock can be is left to `unlock`.
  const held = await locks.look(name).catch(() => undefined)
  return held?.isGone === true && (await locks.endDead(name, held.generation))
}

function describeCollected({ runs, calls, ended, freed }: Removed & { freed: readonly string[] }): string {
  return [
    ended === 0 ? '' : `${formatCount(ended, 'run')} that nobody runs any more: ended as unknown\n`,
    ...freed.map((name) => `the lock ${name} is free: the process that had it is gone, and left no record\n`),
    `removed ${formatCount(runs, 'run')} and ${formatCount(calls, 'call')}\n`,
  ].join('')
}

/** `cache clear` */
export const clearCache: RunsWork = async (session) => {
  await (await session.connect()).store.facts.clearCache()
  return showResult(session, { cleared: true }, () => 'nothing is taken from the cache that is in it now\n')
}
