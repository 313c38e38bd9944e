import { setTimeout as pause } from 'node:timers/promises'
import type { registerMcpFunction, Worker } from '@iii/sdk'
import { z } from 'zod'

const STEP_MS = 60
const Work = z.object({ token: z.string(), steps: z.int().min(1).max(10) })

/** Functions of the soak itself: one that tells how far it is, the same as a task, and the two of a job. */
export function serveSteps(worker: Worker, register: typeof registerMcpFunction): void {
  const work = async ({ token, steps }: z.infer<typeof Work>, progress: (done: number, total: number) => unknown) => {
    for (let step = 1; step <= steps; step++) {
      await pause(STEP_MS)
      progress(step, steps)
    }
    return { token }
  }
  const options = { description: 'Takes steps.', request_format: Work }
  register(worker, 'soak::steps', (input, { progress }) => work(input, progress), options)
  register(worker, 'soak::task', (input, { progress }) => work(input, progress), {
    ...options,
    mcp: { task: 'optional' },
  })
  worker.registerFunction('soak::first', () => ({ first: true }))
  worker.registerFunction('soak::last', () => ({ last: true }), { metadata: { 'runs.depends_on': ['soak::first'] } })
}
