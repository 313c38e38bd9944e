import process from 'node:process'
import { startChild } from '../child.ts'
import { hasFunctions } from '../facts.ts'
import { startStack } from '../stack.ts'
import { until } from '../until.ts'
import type { Arena, Bench } from './arena.ts'
import type { Subject } from './measure.ts'
import { registerPrompt, registerSkills, type Size, toBody, toId } from './skills-content.ts'
import { openSizes } from './skills-sizes.ts'
import { openStart } from './skills-start.ts'

interface Case extends Size {
  /** Whether a worker without an index is measured beside it; with more bodies it cannot read them in one message. */
  comparable: boolean
}

const CASES: readonly Case[] = [
  { count: 1000, kib: 10, comparable: true },
  { count: 2000, kib: 100, comparable: false },
  { count: 20_000, kib: 2, comparable: false },
  // 2 GB: `BENCH_FULL=1 pnpm bench skills`
  ...(process.env['BENCH_FULL'] ? [{ count: 20_000, kib: 100, comparable: false }] : []),
]
const FETCHED = 20

/** The registry with so many skills, each on an engine of its own: what it serves, and how it starts. */
export const skillsBenches: readonly Bench[] = [
  { title: 'skills: lists of short skills, beside lists of long ones', open: openSizes },
  ...CASES.flatMap(toBenches),
]

function toBenches(size: Case): Bench[] {
  return [
    {
      title: `skills: ${size.count} × ${size.kib} KiB, beside a worker function that returns one state::get`,
      open: (arena) => openBench(arena, size),
    },
    {
      title: `skills: start to first list with ${size.count} × ${size.kib} KiB, beside a worker that reads one row`,
      inFlight: [1],
      open: (arena) => openStart(arena, size),
    },
  ]
}

async function openBench(arena: Arena, size: Case): Promise<readonly Subject[]> {
  const stack = arena.use(await startStack({ workers: ['skills'] }))
  const entry = new URL('skills-floor-worker.ts', import.meta.url)
  arena.use(startChild({ name: 'skills-floor', entry, args: ['--url', stack.engineUrl] }))
  await until(() => hasFunctions(stack.worker, ['floor::index']), { what: 'the floor' })
  await registerSkills(stack.worker, size)
  await registerPrompt(stack.worker)

  if (size.comparable) await stack.worker.trigger({ function_id: 'floor::prepare', payload: {} })
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
          { name: 'such a list from memory', run: call('floor::ready-list') },
          { name: 'list without an index', run: call('floor::list') },
          { name: 'index page without an index', run: call('floor::index') },
        ]
      : []),
  ]
}
