import { Fault } from '@iii/protocol'
import { describe, expect, it } from 'vitest'
import { type Task, toTask } from '../tasks/task.ts'
import { JobDeclarations } from './declaration.ts'
import { readJobs } from './job.ts'
import { orderTasks, planJob } from './plan.ts'

function createTasks(metadata: Record<string, Record<string, unknown>>): Map<string, Task> {
  const tasks = Object.entries(metadata).flatMap(([id, of]) => toTask({ id, metadata: of }) ?? [])
  return new Map(tasks.map((task) => [task.id, task]))
}

const TASKS = createTasks({
  'orders::collect': {},
  'orders::chart': { 'runs.depends_on': ['orders::collect'] },
  'orders::summary': { runs: { depends_on: ['orders::chart', 'orders::collect'] } },
  'orders::report': { 'runs.job': true },
  'orders::lost': { 'runs.depends_on': ['orders::nowhere', 'state::get'] },
  'orders::egg': { 'runs.depends_on': ['orders::hen'] },
  'orders::narcissus': { 'runs.depends_on': ['orders::narcissus'] },
  'orders::hen': { 'runs.depends_on': ['orders::egg'] },
})
const DAY = { type: 'object', properties: { day: { type: 'string' } }, additionalProperties: false }

function plan(declaration: Record<string, unknown>, input?: unknown, tasks = TASKS) {
  const job = readJobs(JobDeclarations.parse({ nightly: declaration }), tasks).get('nightly')
  if (job === undefined) throw new Error('no job')
  return planJob(job, input, tasks)
}

function faultOf(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    if (error instanceof Fault) return `${error.code}: ${error.message}`
    throw error
  }
  throw new Error('nothing was thrown')
}

describe('the plan of a job', () => {
  it('has the tasks below its targets in order, and gives the input to the targets alone', () => {
    const inputs = { 'orders::collect': { limit: 5 }, 'orders::summary': { format: 'text' } }
    const { tasks, job } = plan({ targets: ['orders::summary'], inputs, input: DAY }, { day: 'today' })
    expect(job).toMatchObject({ lock: 'default', concurrency: 2, timeout_ms: 300_000, declared: 'operator' })
    expect(tasks.map(({ id, needs, payload }) => ({ id, needs, payload }))).toEqual([
      { id: 'orders::collect', needs: [], payload: { limit: 5 } },
      { id: 'orders::chart', needs: ['orders::collect'], payload: {} },
      {
        id: 'orders::summary',
        needs: ['orders::chart', 'orders::collect'],
        payload: { format: 'text', day: 'today' },
      },
    ])
  })

  it.each<[Record<string, unknown>, unknown, string]>([
    [{ input: DAY }, { day: 4711 }, 'invalid_input: input.day: must be a string, not a number'],
    [{ input: DAY }, { night: 1 }, 'invalid_input: input: must not have the key "night"'],
    [{ input: DAY }, 'day', 'invalid_input: input: must be an object, not a string'],
    [{}, { day: 'x' }, 'invalid_input: input: must not have the key "day" (the job nightly takes no input)'],
    [
      { input: DAY, inputs: { 'orders::collect': { day: 'today' } } },
      { day: 'x' },
      'invalid_input: input.day: is fixed by the job nightly for orders::collect and cannot be given',
    ],
  ])('refuses an input that does not fit: %j, %j', (declaration, input, expected) => {
    expect(faultOf(() => plan({ targets: ['orders::collect'], ...declaration }, input))).toBe(expected)
  })

  it.each([101, 100_000])('refuses an input of %i levels, of which no record could be made', (levels) => {
    const input: unknown = JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`)
    const declaration = { targets: ['orders::collect'], input: { type: 'object' } }
    expect(faultOf(() => plan(declaration, input))).toBe(
      'invalid_input: input: is nested too deeply (more than 100 levels)',
    )
  })

  it('says which function is missing, or waits for itself, and for whom', () => {
    expect(faultOf(() => plan({ targets: ['orders::lost'] }))).toBe(
      'unavailable: The job nightly needs the function orders::nowhere, which no worker offers (and 1 more): start its worker, or mend runs.depends_on of orders::lost',
    )
    expect(faultOf(() => plan({ targets: ['orders::gone'] }))).toMatch(
      /orders::gone, .* or mend the targets of nightly$/,
    )
    // A function that calls itself a job has its name.
    const own = createTasks({ 'orders::own': { 'runs.job': true, 'runs.depends_on': ['orders::nowhere'] } })
    expect(faultOf(() => orderTasks({ name: 'orders::own', inputs: {}, targets: ['orders::own'] }, own))).toMatch(
      /orders::nowhere, .* or mend runs\.depends_on of orders::own$/,
    )
    expect(faultOf(() => plan({ targets: ['orders::narcissus'] }))).toMatch(
      /: orders::narcissus depends on itself: mend/,
    )
    expect(faultOf(() => plan({ targets: ['orders::hen'] }))).toBe(
      'unavailable: The job nightly cannot be run: orders::egg, orders::hen depend on each other: mend their runs.depends_on',
    )
    expect(plan({ targets: ['orders::collect'] }).tasks).toHaveLength(1)
  })

  it('is refused where inputs are fixed for what is none of its tasks', () => {
    expect(faultOf(() => plan({ targets: ['orders::chart'], inputs: { 'orders::colect': { limit: 5 } } }))).toBe(
      'unavailable: The job nightly has inputs for orders::colect, which is none of its tasks (did you mean orders::collect?): mend `inputs`',
    )
  })

  it('has a limit', () => {
    const ids = Array.from({ length: 300 }, (_, at) => `t::${at}`)
    const many = createTasks(
      Object.fromEntries(ids.map((id, at) => [id, { 'runs.depends_on': at === 0 ? [] : [`t::${at - 1}`] }])),
    )
    expect(faultOf(() => plan({ targets: ['t::299'] }, {}, many))).toMatch(/^too_large: .* 300 tasks; 256 is the most/)
    expect(plan({ targets: ['t::255'] }, {}, many).tasks).toHaveLength(256)
  })

  it('of a function that is a job by itself takes what the function takes', () => {
    const job = readJobs({}, TASKS).get('orders::report')
    expect(job).toMatchObject({ declared: 'metadata', targets: ['orders::report'] })
    expect(job && planJob(job, { any: [1] }, TASKS).tasks).toMatchObject([
      { id: 'orders::report', payload: { any: [1] } },
    ])
  })
})

describe('a declaration', () => {
  it.each([
    [{}, 'targets'],
    [{ targets: ['state::set'] }, 'internal'],
    [{ targets: ['runs::run_job'] }, 'runs::'],
    [{ targets: ['a::b'], input: { type: 'string' } }, 'its type must be'],
    [{ targets: ['a::b'], input: { type: 'object', properties: { a: { $ref: '#/nowhere' } } } }, 'JSON Schema'],
    [{ targets: ['a::b'], timeout: 5 }, 'timeout'],
    [{ targets: ['a::b'], lock: '../up' }, 'letters'],
  ])('%j is refused: %s', (declaration, expected) => {
    const parsed = JobDeclarations.safeParse({ nightly: declaration })
    expect(JSON.stringify(parsed.error?.issues)).toContain(expected)
  })

  it.each(['', 'a::b', '../up', '-x', 'x'.repeat(65)])('has no name like %j', (name) => {
    expect(JobDeclarations.safeParse({ [name]: { targets: ['a::b'] } }).success).toBe(false)
  })
})
