import type { Worker } from '@iii/sdk'
import type { Model } from '../model.ts'
import { type Operation, RIGHT, refused, toWrong } from '../operation.ts'
import { pick } from '../random.ts'

/** Of the runs that were acknowledged, so many of the newest have to be there: older ones are thinned out. */
const KEPT = 20

interface Run {
  readonly id?: string
  readonly status?: string
}

/** Runs of a job that were told to have passed have a record that says so. */
export function createRuns(control: Worker, model: Model): Operation[] {
  return [
    {
      ...{ name: 'runs::run_job', member: 'runs', weight: 1 },
      async run() {
        const payload = { job: 'soak', wait_ms: 20_000 }
        const request = { function_id: 'runs::run_job', payload, timeoutMs: 40_000 }
        const run = await control.trigger<Run>(request).catch((error: Error) => error)
        // One run at a time: that is what a lock is for.
        if (run instanceof Error) return /^The lock /.test(run.message) ? RIGHT : refused(run.message)
        const { id, status } = run
        if (id === undefined) return toWrong(`a run without an id: ${JSON.stringify(run)}`)
        if (status !== 'passed') return refused(`the run is ${status}: ${JSON.stringify(run).slice(0, 200)}`)
        model.write(id).acknowledged()
        return RIGHT
      },
    },
    {
      ...{ name: 'runs::read_run', member: 'runs', weight: 1 },
      async run(_, random) {
        const newest = model.ids().slice(-KEPT)
        if (newest.length === 0) return RIGHT
        const id = pick(random, newest)
        const expected = model.expect(id)
        const request = { function_id: 'runs::read_run', payload: { run_id: id } }
        const told = await control.trigger<{ record?: Run }>(request).catch((error: Error) => error)
        if (told instanceof Error) {
          const problem = /\bno run\b/i.test(told.message) ? expected.judge(undefined) : undefined
          return problem === undefined ? refused(told.message) : toWrong(`${problem}: ${told.message}`)
        }
        const status = told.record?.status
        return status === 'passed' ? RIGHT : toWrong(`${id} had passed, and is ${status}`)
      },
    },
  ]
}
