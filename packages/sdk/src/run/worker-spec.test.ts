import { expect, it } from 'vitest'
import { runWorker } from './run-worker.ts'

it('refuses a field of a worker that was mistyped', async () => {
  const spec = { nam: 'tea', version: '0.1.0', description: 'Makes tea', argv: [], env: {}, options: {}, serve() {} }
  await expect(runWorker(spec as never)).rejects.toThrow("runWorker has 'nam', which is not read; did you mean 'name'?")
})
