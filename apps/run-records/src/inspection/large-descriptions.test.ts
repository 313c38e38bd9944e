import { afterEach, beforeEach, expect, it } from 'vitest'
import { type InspectionStage, startInspection } from '../testing/inspection-stage.ts'
import { isFitting, MAX_RESULT_BYTES } from './result-limit.ts'

interface TasksPage {
  tasks: { id: string; description?: string }[]
  jobs: { name: string; description: string }[]
  cursor?: string
  left_out?: number
}

const MIB = 1_048_576
let stage: InspectionStage

beforeEach(async () => {
  stage = await startInspection()
})
afterEach(() => stage[Symbol.asyncDispose]())

function serve(id: string, description: string, metadata: Record<string, unknown> = {}): void {
  stage.worker.registerFunction(id, () => null, { description, metadata })
}

it('a description without end is cut, and hides neither its task nor those behind it', async () => {
  serve('a::first', 'A\u001b[31m red one')
  serve('b::endless', 'D'.repeat(MIB), { 'runs.job': true })
  serve('c::last', 'The last')
  await stage.worker.ready()
  const { tasks, jobs, ...rest } = await stage.ask<TasksPage>('list_tasks')
  expect(tasks.map(({ id }) => id)).toEqual(['a::first', 'b::endless', 'c::last'])
  expect(tasks[0]?.description).not.toContain('\u001b')
  expect(tasks[1]?.description).toHaveLength(4094)
  expect(jobs).toMatchObject([{ name: 'b::endless', description: expect.stringMatching(/^D+…$/) }])
  expect(rest).toEqual({})
  const explained = await stage.ask('explain_task', { task: 'b::endless' })
  expect(explained).toMatchObject({ description: tasks[1]?.description })
  expect(explained).not.toHaveProperty('left_out')
})

it('jobs without end leave room for tasks, and come on pages of their own after them', async () => {
  for (let at = 0; at < 600; at += 1)
    serve(`many::t${String(at).padStart(3, '0')}`, 'x'.repeat(1000), { 'runs.job': true })
  await stage.worker.ready()
  const pages = [await stage.ask<TasksPage>('list_tasks')]
  for (let { cursor } = pages[0] ?? {}; cursor !== undefined; { cursor } = pages.at(-1) ?? {}) {
    pages.push(await stage.ask<TasksPage>('list_tasks', { cursor }))
  }
  expect(pages.flatMap(({ tasks }) => tasks)).toHaveLength(600)
  expect(pages[0]?.jobs.length).toBeGreaterThan(100)
  expect(pages.every((page) => isFitting(page, MAX_RESULT_BYTES))).toBe(true)
  const names = pages.flatMap(({ jobs }) => jobs.map(({ name }) => name))
  expect(names).toEqual(pages.flatMap(({ tasks }) => tasks.map(({ id }) => id)))
  const toCome = pages.map(({ left_out: leftOut = 0 }) => leftOut)
  expect(toCome.at(0)).toBe(1200 - (pages[0]?.tasks.length ?? 0) - (pages[0]?.jobs.length ?? 0))
  expect(toCome).toEqual([...toCome].sort((a, b) => b - a))
  expect(toCome.at(-1)).toBe(0)
})

it('an explanation can be sent, however many depend on the task', async () => {
  const id = (at: number) => `users::${'long'.repeat(200)}-${at}`
  serve('base::one', 'One')
  for (let at = 0; at < 800; at += 1) serve(id(at), '', { 'runs.depends_on': ['base::one'] })
  await stage.worker.ready()
  const explained = await stage.ask<{ dependents: string[]; left_out: number }>('explain_task', { task: 'base::one' })
  expect(isFitting(explained, MAX_RESULT_BYTES)).toBe(true)
  expect(explained.dependents.length).toBeGreaterThan(100)
  expect(explained.left_out).toBe(3 + 800 - explained.dependents.length)
})
