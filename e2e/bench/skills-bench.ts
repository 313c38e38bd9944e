import type { Worker } from '@iii/sdk'
import { startChild } from '../child.ts'
import { hasFunctions } from '../facts.ts'
import { startStack } from '../stack.ts'
import { until } from '../until.ts'
import type { Arena, Bench } from './arena.ts'
import type { Subject } from './measure.ts'

interface Size {
  count: number
  /** Length of a body. */
  kib: number
  /** Whether a worker without an index is measured beside it; with more bodies it cannot read them in one message. */
  comparable: boolean
}

const SIZES: readonly Size[] = [
  { count: 1000, kib: 10, comparable: true },
  { count: 2000, kib: 100, comparable: false },
  { count: 20_000, kib: 2, comparable: false },
]
const REGISTERED_AT_ONCE = 16
const FETCHED = 20

/** The registry with so many skills, each on an engine of its own. */
export const skillsBenches: readonly Bench[] = SIZES.map((size) => ({
  title: `skills: ${size.count} × ${size.kib} KiB, beside a worker function that returns one state::get`,
  open: (arena) => openBench(arena, size),
}))

async function openBench(arena: Arena, size: Size): Promise<readonly Subject[]> {
  const stack = arena.use(await startStack({ workers: ['skills'] }))
  const entry = new URL('skills-floor-worker.ts', import.meta.url)
  arena.use(startChild({ name: 'skills-floor', entry, args: ['--url', stack.engineUrl] }))
  await until(() => hasFunctions(stack.worker, ['floor::index']), { what: 'the floor' })
  await registerAll(stack.worker, size)
  await registerPrompt(stack.worker)

  const call =
    (function_id: string, payload: () => object = () => ({})) =>
    () =>
      stack.worker.trigger({ function_id, payload: payload() })
  let at = 0
  const next = () => {
    at += 7
    return toId(at % size.count)
  }
  const some = () => Array.from({ length: FETCHED }, () => `iii://${next()}`)
  return [
    { name: 'one state::get', run: call('floor::read', () => ({ id: next() })) },
    { name: 'read', run: call('skills::resources-read', () => ({ uri: `iii://${next()}` })) },
    { name: 'register', run: call('skills::register', () => ({ id: 'fresh', skill: toBody(at, size.kib) })) },
    { name: 'prompt get', run: call('prompts::mcp-get', () => ({ name: 'bench' })) },
    { name: `fetch of ${FETCHED}`, run: call('skill::fetch', () => ({ uris: some() })) },
    { name: 'list', run: call('skills::resources-list') },
    { name: 'index', run: call('skills::resources-read', () => ({ uri: 'iii://skills' })) },
    ...(size.comparable
      ? [
          { name: 'list without an index', run: call('floor::list') },
          { name: 'index page without an index', run: call('floor::index') },
        ]
      : []),
  ]
}

async function registerAll(worker: Worker, { count, kib }: Size): Promise<void> {
  let next = 0
  const lane = async () => {
    while (next < count) {
      const at = next++
      const payload = { id: toId(at), skill: toBody(at, kib) }
      await worker.trigger({ function_id: 'skills::register', payload })
    }
  }
  await Promise.all(Array.from({ length: REGISTERED_AT_ONCE }, lane))
}

async function registerPrompt(worker: Worker): Promise<void> {
  worker.registerFunction('bench::prompt', () => 'Do it.')
  await worker.ready()
  const payload = { name: 'bench', description: 'Bench', arguments: [], function_id: 'bench::prompt' }
  await worker.trigger({ function_id: 'prompts::register', payload })
}

function toId(at: number): string {
  return `group-${at % 50}/skill-${at}`
}

function toBody(at: number, kib: number): string {
  const head = `# Skill ${at}\n\nUse this when number ${at} is asked for, and not otherwise.\n\n`
  return head + 'Some more words of advice. '.repeat(Math.ceil((kib * 1024) / 27)).slice(0, kib * 1024 - head.length)
}
