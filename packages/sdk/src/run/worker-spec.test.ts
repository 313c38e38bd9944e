import { expect, it } from 'vitest'
import { runWorker } from './run-worker.ts'

it('refuses a field of a worker that was mistyped', async () => {
  const spec = { nam: 'tea', version: '0.1.0', description: 'Makes tea', argv: [], env: {}, options: {}, serve() {} }
  await expect(runWorker(spec as never)).rejects.toThrow("runWorker has 'nam', which is not read; did you mean 'name'?")
})

const right = { name: 'tea', version: '0.1.0', description: 'Makes tea', argv: [], env: {}, options: {}, serve() {} }

it.each([
  [undefined, 'runWorker takes its fields as an object, not as undefined'],
  [{ ...right, name: undefined }, "runWorker needs name: a text, for example 'orders'"],
  [{ ...right, argv: undefined }, 'runWorker needs argv: what the user typed, without node and script'],
  [{ ...right, argv: ['/usr/bin/node', 'main.js'] }, 'without node and script: process.argv.slice(2)'],
  [{ ...right, argv: [String.raw`C:\node\node.exe`, 'main.js'] }, 'process.argv.slice(2)'],
  [{ ...right, env: undefined }, 'runWorker needs env: an object: process.env'],
  [{ ...right, options: undefined }, 'runWorker needs options: an object: {} where there are none'],
  [{ ...right, serve: undefined }, 'runWorker needs serve: a function'],
  [{ ...right, description: 5 }, 'runWorker takes description as a text, not as a number'],
  [{ ...right, version: [1] }, 'runWorker takes version as a text, not as a list'],
])('says what a worker needs: %o', async (spec, says) => {
  await expect(runWorker(spec as never)).rejects.toThrow(says)
})
