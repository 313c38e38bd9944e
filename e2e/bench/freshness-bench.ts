import { setTimeout as pause } from 'node:timers/promises'
import type { Registration } from '@iii/sdk'
import { hasFunctions, requestOnce } from '../facts.ts'
import { startListening } from '../listening.ts'
import { openSession } from '../raw-client.ts'
import { startStack } from '../stack.ts'
import { until } from '../until.ts'
import { layOut } from './table.ts'

/** How long a function that a running worker registers takes to reach clients, in milliseconds, the quickest first. */
export interface Freshness {
  readonly seen: 'in a list that is asked for all the time' | 'by list_changed, while nobody asks'
  readonly ms: readonly number[]
}

const TRIES = 16
/** What the bridge looks at once a second is changed at any moment of it. */
const APART_MS = 1_000

/** An engine of its own hides nothing here: the embedded one tells of functions as late as the real one. */
export async function measureFreshness(): Promise<readonly Freshness[]> {
  await using stack = await startStack({ workers: ['bridge'] })
  const { worker, mcpUrl } = stack

  async function measure(isThere: (tool: string) => Promise<boolean> | boolean): Promise<number[]> {
    const times: number[] = []
    for (let n = 0; n < TRIES; n += 1) {
      await pause(Math.random() * APART_MS)
      const at = performance.now()
      const registration = worker.registerFunction(`fresh::tool-${n}`, () => 'done')
      await until(async () => isThere(`fresh__tool-${n}`), { what: registration.id })
      times.push(performance.now() - at)
      await takeBack(registration)
    }
    return times.sort((a, b) => a - b)
  }

  async function takeBack(registration: Registration): Promise<void> {
    registration.unregister()
    await until(async () => !(await hasFunctions(worker, [registration.id])), { what: 'it to be gone' })
  }

  const isListed = async (tool: string) => JSON.stringify(await requestOnce(mcpUrl, 'tools/list')).includes(`"${tool}"`)
  const listed = await measure(isListed)
  using listener = await startListening(mcpUrl, await openSession(mcpUrl), worker)
  let heard = 0
  const isTold = () => {
    const told = listener.messages.filter(({ method }) => method === 'notifications/tools/list_changed').length
    const isMore = told > heard
    heard = told
    return isMore
  }
  // That the last one has gone is told first.
  const told = await measure(async (tool) => isTold() && (await isListed(tool)))
  return [
    { seen: 'in a list that is asked for all the time', ms: listed },
    { seen: 'by list_changed, while nobody asks', ms: told },
  ]
}

export function formatFreshness(all: readonly Freshness[]): string {
  const show = (ms: number | undefined) => ((ms ?? Number.NaN) / 1_000).toFixed(2)
  const rows = all.map(({ seen, ms }) => [seen, show(ms[0]), show(ms[ms.length >> 1]), show(ms.at(-1)), `${ms.length}`])
  return layOut('a function that a running worker registers is seen', [
    ['', 'least s', 'median s', 'most s', 'tries'],
    ...rows,
  ])
}
