import { afterEach, beforeEach, expect, it } from 'vitest'
import { type InspectionStage, startInspection } from '../testing/inspection-stage.ts'
import { isFitting } from './result-limit.ts'

const CLIENT = { mcp: { call_id: 'c1', via: 'mcp::b1' } }
let shownBytes: number
const TASKS = 250
const ids = Array.from({ length: TASKS }, (_, at) => `wide::task_${String(at).padStart(3, '0')}`)

let stage: InspectionStage

beforeEach(async () => {
  shownBytes = 80_000
  stage = await startInspection({ declared: { wide: { targets: ['wide::root'] } } })
  for (const id of ids) stage.serve(id)
  stage.serve('wide::root', { 'runs.depends_on': ids })
  stage.worker.registerFunction('mcp::b1::visible', (request) => ({
    visible: (request as { function_ids: string[] }).function_ids,
    max_result_bytes: shownBytes,
  }))
  await stage.worker.ready()
})
afterEach(() => stage[Symbol.asyncDispose]())

interface Paged {
  readonly tasks: readonly { readonly id: string }[]
  readonly edges: readonly { readonly from: string }[]
  readonly runs: readonly { readonly id: string }[]
  readonly cursor?: string
}

async function collect(name: string, request: object = {}): Promise<Paged[]> {
  const pages: Paged[] = []
  for (let cursor: string | undefined; pages.length === 0 || cursor !== undefined; cursor = pages.at(-1)?.cursor)
    pages.push(await stage.ask<Paged>(name, { ...request, ...(cursor && { cursor }) }, CLIENT))
  expect(pages.map((page) => isFitting(page, shownBytes))).not.toContain(false)
  return pages
}

it('a page is as large as a bridge shows it, and all pages together have everything', async () => {
  for (let at = 0; at < 40; at += 1) await stage.record({ tasks: ids.map((id) => ({ id })) })
  const graph = await collect('graph', { job: 'wide' })
  expect(graph.length).toBeGreaterThan(1)
  expect(graph.flatMap(({ tasks }) => tasks.map(({ id }) => id))).toEqual(['wide::root', ...ids].sort())
  expect(graph.flatMap(({ edges }) => edges)).toHaveLength(TASKS)
  expect((await collect('list_tasks')).flatMap(({ tasks }) => tasks).length).toBe(TASKS + 1)
  const runs = (await collect('list_runs', { limit: 100 })).flatMap((page) => page.runs.map(({ id }) => id))
  expect(new Set(runs).size).toBe(40)
})

it('of a record that a bridge would cut what did not pass is kept, and as much of the rest as it shows', async () => {
  const status = (at: number) => (at === TASKS - 1 ? 'failed' : 'passed')
  const { id } = await stage.record({ tasks: ids.map((task, at) => ({ id: task, status: status(at) })) })
  const read = await stage.ask<{ record: Paged; left_out: number }>('read_run', { run_id: id }, CLIENT)
  expect(isFitting(read, shownBytes)).toBe(true)
  expect(read.record.tasks.at(-1)?.id).toBe(ids.at(-1))
  expect(read.record.tasks.length).toBeGreaterThan(30)
  expect(read.left_out).toBeGreaterThanOrEqual(TASKS - read.record.tasks.length)
})

it('no run is lost between two pages, however much of a page is taken', async () => {
  for (let at = 0; at < 12; at += 1) await stage.record({ tasks: ids.slice(0, 30).map((id) => ({ id })) })
  for (shownBytes = 20_000; shownBytes < 24_000; shownBytes += 100) {
    const pages = await collect('list_runs', { limit: 100 })
    expect(pages.flatMap(({ runs }) => runs)).toHaveLength(12)
  }
})

it('a bridge that shows little gets what it shows', async () => {
  shownBytes = 4_096
  for (let at = 0; at < 3; at += 1) await stage.record({ tasks: [{ id: 'wide::root' }] })
  expect((await collect('list_runs')).flatMap(({ runs }) => runs)).toHaveLength(3)
})
