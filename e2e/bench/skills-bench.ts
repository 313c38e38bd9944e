import process from 'node:process'
import { InvocationError } from '@iii/sdk'
import type { Arena, Bench, Scene } from './arena.ts'
import { LostReply } from './lost-reply.ts'
import type { BenchSubject } from './measure.ts'
import { registerPrompt, registerSkills, type SkillsSize, toBody, toSizedSkillId } from './skills-content.ts'
import { openSizes } from './skills-sizes.ts'
import { openStart } from './skills-start.ts'

interface Case extends SkillsSize {
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
/** What reading, registering and listing are compared to: the least that each takes. */
const GET = 'one state::get'
const SET = 'one state::set'
const READY = 'such a list from memory'
/** Reading all rows takes its time where nothing keeps an index. */
const ANSWER_MS = 10_000

/** The registry with so many skills, each on an engine of its own: what it serves, and how it starts. */
export const skillsScenes: readonly Scene[] = [
  {
    needsOwnEngine: 'it compares two engines',
    benches: [{ title: 'skills: lists of short skills, beside lists of long ones', open: openSizes }],
  },
  ...CASES.flatMap(toScenes),
]

function toScenes(size: Case): Scene[] {
  const where: Pick<Scene, 'workers' | 'needsOwnEngine'> = {
    workers: ['skills'],
    ...(!size.comparable && { needsOwnEngine: 'it stores too much to be cleared away again' }),
  }
  const served: Bench = {
    title: `skills: ${size.count} × ${size.kib} KiB, beside a worker function that returns one state::get`,
    open: (arena) => openBench(arena, size),
  }
  const started: Bench = {
    title: `skills: start to first list with ${size.count} × ${size.kib} KiB, beside a worker that reads one row`,
    inFlight: [1],
    open: (arena) => openStart(arena, size),
  }
  return [served, started].map((bench) => ({ ...where, benches: [bench] }))
}

async function openBench(arena: Arena, size: Case): Promise<readonly BenchSubject[]> {
  const { stack } = arena
  const floorPid = await arena.startWorker('skills-floor-worker.ts', 'floor::ready-list')
  const pid = stack.children.get('skills')?.pid ?? 0
  await registerSkills(stack.worker, size)
  await registerPrompt(stack.worker)

  const stored = { scope: 'bench', key: 'fresh' }
  const forget = () => stack.worker.trigger({ function_id: 'state::delete', payload: stored })
  arena.use({ [Symbol.asyncDispose]: async () => void (await forget()) })
  if (size.comparable) await stack.worker.trigger({ function_id: 'floor::prepare', payload: {} })
  const call =
    (function_id: string, payload: () => object = () => ({})) =>
    () =>
      stack.worker.trigger({ function_id, payload: payload(), timeoutMs: ANSWER_MS }).catch(toLost)
  let at = 0
  const next = () => {
    at += 7
    return toSizedSkillId(at % size.count)
  }
  const some = () => Array.from({ length: FETCHED }, () => `iii://${next()}`)
  return [
    { name: GET, pid: floorPid, run: call('floor::read', () => ({ id: next() })) },
    { name: 'read', pid, run: call('skills::resources-read', () => ({ uri: `iii://${next()}` })) },
    { name: SET, run: call('state::set', () => ({ ...stored, value: toRow(at, size) })) },
    { name: 'register', pid, floor: SET, run: call('skills::register', () => toRow(at, size)) },
    { name: 'prompt get', pid, run: call('prompts::mcp-get', () => ({ name: 'bench' })) },
    { name: `fetch of ${FETCHED}`, pid, run: call('skill::fetch', () => ({ uris: some() })) },
    { name: 'list', pid, ...(size.comparable && { floor: READY }), run: call('skills::resources-list') },
    { name: 'index', pid, run: call('skills::resources-read', () => ({ uri: 'iii://skills' })) },
    ...(size.comparable
      ? [
          { name: READY, pid: floorPid, run: call('floor::ready-list') },
          { name: 'list without an index', pid: floorPid, run: call('floor::list') },
          { name: 'index page without an index', pid: floorPid, run: call('floor::index') },
        ]
      : []),
  ]
}

function toRow(at: number, { kib }: SkillsSize) {
  return { id: 'fresh', skill: toBody(at, kib) }
}

/** @throws LostReply for a call that ended at its deadline, else what it ended with. */
function toLost(error: unknown): never {
  throw error instanceof InvocationError && error.code === 'TIMEOUT' ? new LostReply(error.message) : error
}
