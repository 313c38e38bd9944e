/**
 * A process that fills a store, for benchmarks: `URL RUNS IDS`. It writes the records of so many runs, each of four of the tasks whose
 * ids are given as JSON, and prints `written ID` with the last of them.
 */
import process from 'node:process'
import { createLog, registerWorker } from '@iii/sdk'
import { createRunStore } from '../store/store.ts'
import { writeRecord } from './written-record.ts'

const TASKS_OF_A_RUN = 4
const STATE_MS = 10_000

const [url = '', runs = '1', ids = '[]'] = process.argv.slice(2)
const tasks = JSON.parse(ids) as string[]
const worker = registerWorker(url, { name: 'filler', log: createLog({ name: 'filler', level: 'silent' }) })
const store = createRunStore(worker, () => STATE_MS)

async function write(run: number): Promise<string> {
  const own = Array.from({ length: TASKS_OF_A_RUN }, (_, at) => ({
    id: tasks[(run * TASKS_OF_A_RUN + at) % tasks.length] ?? '',
    input: { value: { customer: 'Ada', run }, digest: `${run % 7}`, bytes: 30 },
    output: { value: { total: run }, digest: `${run % 5}`, bytes: 20 },
  }))
  return (await writeRecord(store, { job: `job-${run % 10}`, tasks: own })).id
}

await worker.ready({ timeoutMs: STATE_MS })
let last = ''
for (let run = 0; run < Number(runs); run += 1) last = await write(run)
process.stdout.write(`written ${last}\n`)
await worker.shutdown()
