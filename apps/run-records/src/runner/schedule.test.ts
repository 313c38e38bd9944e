import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runInOrder, type Scheduled } from './schedule.ts'

const anyTasks = fc
  .array(fc.array(fc.nat(), { maxLength: 3 }), { minLength: 1, maxLength: 12 })
  .map((all) =>
    all.map(
      (needs, at): Scheduled => ({ id: `t${at}`, needs: at === 0 ? [] : [...new Set(needs.map((n) => `t${n % at}`))] }),
    ),
  )

test('each task runs once, after those it needs, and no more than so many at a time', async () => {
  await fc.assert(
    fc.asyncProperty(
      anyTasks,
      fc.integer({ min: 1, max: 4 }),
      fc.scheduler(),
      async (tasks, concurrency, scheduler) => {
        const done: string[] = []
        let running = 0
        const work = async ({ id, needs }: Scheduled) => {
          expect(done).toEqual(expect.arrayContaining([...needs]))
          running += 1
          expect(running).toBeLessThanOrEqual(concurrency)
          await scheduler.schedule(Promise.resolve())
          running -= 1
          done.push(id)
          return true
        }
        const left = await scheduler.waitFor(runInOrder(tasks, work, { concurrency, isStopped: () => false }))
        expect(left).toEqual([])
        expect([...done].sort()).toEqual(tasks.map(({ id }) => id).sort())
      },
    ),
  )
})

test('the first that fails stops the rest, and what is under way ends', async () => {
  const tasks = ['a', 'b', 'c', 'd'].map((id) => ({ id, needs: id === 'd' ? ['a'] : [] }))
  const ended: string[] = []
  const work = async ({ id }: Scheduled) => {
    await Promise.resolve()
    ended.push(id)
    return id !== 'a'
  }
  const left = await runInOrder(tasks, work, { concurrency: 2, isStopped: () => false })
  expect(ended).toEqual(['a', 'b'])
  expect(left.map(({ id }) => id)).toEqual(['c', 'd'])
})

test('nothing is started once it is stopped', async () => {
  let isStopped = false
  const tasks = ['a', 'b'].map((id) => ({ id, needs: [] }))
  const work = async () => {
    isStopped = true
    return true
  }
  expect(await runInOrder(tasks, work, { concurrency: 1, isStopped: () => isStopped })).toEqual([
    { id: 'b', needs: [] },
  ])
})
