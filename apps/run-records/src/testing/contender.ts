/**
 * A process that wants a lock, for tests: `URL MODE NAME ROUNDS TIMINGS`. With mode `try` it tries so often to take it, looks each time
 * whether anybody else is inside, and prints `{"taken": …, "most": …}`. With `hold` it prints `held GENERATION`, keeps it, and prints `lost`.
 */
import process from 'node:process'
import { STATE_SCOPES } from '@iii/protocol'
import { createLog, registerWorker } from '@iii/sdk'
import { createHolder } from '../lock/holder.ts'
import { type LockLease, lockClock } from '../lock/lease.ts'
import { createLockStore } from '../lock/lock-store.ts'
import { createLocks } from '../lock/locks.ts'
import { LOCK_TIMINGS } from '../lock/timings.ts'

const [url = '', mode = '', name = '', rounds = '1', pace = '{}'] = process.argv.slice(2)
const timings = { ...LOCK_TIMINGS, ...JSON.parse(pace) }
const worker = registerWorker(url, { name: 'contender', log: createLog({ name: 'contender', level: 'silent' }) })
const holder = createHolder(worker)
const locks = createLocks(createLockStore(worker, timings.callTimeoutMs), timings, lockClock)

/** How many are inside, by a counter that every contender of a test changes. */
async function count(by: number): Promise<number> {
  const ops = [{ type: 'increment', path: 'inside', by }]
  const payload = { scope: STATE_SCOPES.runs.locks, key: `inside-${name}`, ops }
  const { new_value } = await worker.trigger<{ new_value: { inside: number } }>({
    function_id: 'state::update',
    payload,
  })
  return new_value.inside
}

async function visit(lease: LockLease): Promise<number> {
  const inside = await count(1)
  const goesOn = await lease.confirm()
  await count(-1)
  await lease.release()
  return goesOn ? inside : Number.POSITIVE_INFINITY
}

async function contend(): Promise<void> {
  let [taken, most] = [0, 0]
  for (let round = 0; round < Number(rounds); round += 1) {
    const got = await locks.acquire(name, { holder: holder.id, run: `${round}` })
    if (!('lease' in got)) continue
    most = Math.max(most, await visit(got.lease))
    taken += 1
  }
  process.stdout.write(`${JSON.stringify({ taken, most })}\n`)
  await worker.shutdown()
}

async function hold(): Promise<void> {
  const got = await locks.acquire(name, { holder: holder.id, run: 'held' }, { waitMs: 30_000 })
  if (!('lease' in got)) throw new Error(`held by ${got.conflict.holder}`)
  process.stdout.write(`held ${got.lease.generation}\n`)
  got.lease.lost.addEventListener('abort', () => process.stdout.write('lost\n'))
}

await worker.ready({ timeoutMs: 10_000 })
holder.serve()
await worker.ready({ timeoutMs: 10_000 })
await (mode === 'hold' ? hold() : contend())
