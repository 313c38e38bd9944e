import { expect } from 'vitest'
import type { Child } from '../child.ts'
import { hasFunctions, hasNamespaces, listWorkers, requestOnce } from '../facts.ts'
import { scenario } from '../scenario.ts'
import type { StrangerWorker } from '../stranger-calls.ts'
import { until } from '../until.ts'

/** A worker of somebody else of which several processes can be started. None runs. */
export interface StrangerPair extends StrangerWorker {
  start(workerName: string): Child
}

/** What holds of two processes of a worker on an official SDK that knows nothing of the other one, as ours do. */
export function strangerPairs(open: () => StrangerPair): void {
  scenario(
    ['engines/strangers'],
    'a second process of its name is there beside it, or refused where a name is for one, and callers are served',
    async () => {
      const pair = open()
      const { prefix, stack } = pair
      await using _first = await startFirst(pair)
      const isForOne = await hasNamespaces(stack.worker)
      const before = await findRows(pair, prefix)
      const heard: unknown[] = []
      const id = 'test::workers'
      const listener = stack.worker.registerFunction(id, ({ event }: { event: unknown }) => void heard.push(event))
      const binding = stack.worker.registerTrigger({ type: 'engine::workers-available', function_id: id })
      await stack.worker.ready()
      await using _second = pair.start(prefix)
      const event = isForOne ? 'worker_disconnected' : 'worker_connected'
      await until(() => heard.includes(event), { what: event })
      if (isForOne) expect(await findRows(pair, prefix)).toEqual(before)
      else await until(async () => (await findRows(pair, prefix)).length === 2, { what: 'both' })
      await isServed(pair)
      binding.unregister()
      listener.unregister()
    },
  )

  scenario(
    ['engines/strangers'],
    'of two processes with other names and one function the last has it, or the first where it is kept, and clients see it once',
    async () => {
      const pair = open()
      const { prefix, stack } = pair
      await using first = await startFirst(pair)
      const other = `${prefix}-2`
      await using second = pair.start(other)
      await until(() => hasFunctions(stack.worker, [`${other}::there`]), { what: `${other} to have registered all` })
      await isServed(pair)
      const idle = (await hasNamespaces(stack.worker)) ? second : first
      await idle.stop()
      await isServed(pair)
    },
  )
}

async function startFirst(pair: StrangerPair): Promise<Child> {
  const child = pair.start(pair.prefix)
  await until(() => isServed(pair), { what: `${pair.prefix} to be served`, deadlineMs: 45_000 })
  return child
}

const findRows = async ({ stack }: StrangerPair, wanted: string) =>
  (await listWorkers(stack.worker)).filter(({ name }) => name === wanted).map(({ id }) => id)

async function isServed({ prefix, stack }: StrangerPair): Promise<true> {
  const payload = { a: 2, b: 40 }
  expect(await stack.worker.trigger({ function_id: `${prefix}::add`, payload })).toEqual({ sum: 42 })
  const { tools } = (await requestOnce(stack.mcpUrl, 'tools/list')) as { tools: { name: string }[] }
  expect(tools.filter(({ name }) => name === `${prefix}__add`)).toHaveLength(1)
  return true
}
