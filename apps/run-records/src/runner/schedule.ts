/** What a schedule knows of a task. */
export interface Scheduled {
  readonly id: string
  readonly needs: readonly string[]
}

export interface ScheduleOptions {
  /** How many may be under way at once. */
  readonly concurrency: number
  /** Whether nothing more may be started. */
  isStopped(): boolean
}

/**
 * Works on tasks, each after those it needs, in the given order where that leaves a choice. The first that does not pass stops the rest:
 * what is under way ends, and nothing more is started.
 *
 * @param tasks each after those it needs
 * @param work says whether the task passed; must not reject
 * @returns the tasks that were not started
 */
export async function runInOrder<T extends Scheduled>(
  tasks: readonly T[],
  work: (task: T) => Promise<boolean>,
  { concurrency, isStopped }: ScheduleOptions,
): Promise<T[]> {
  const waiting = [...tasks]
  const passed = new Set<string>()
  const running = new Set<Promise<void>>()
  let hasFailed = false

  async function run(task: T): Promise<void> {
    if (await work(task)) passed.add(task.id)
    else hasFailed = true
  }

  for (;;) {
    while (!hasFailed && !isStopped() && running.size < concurrency) {
      const at = waiting.findIndex(({ needs }) => needs.every((id) => passed.has(id)))
      const [next] = at === -1 ? [] : waiting.splice(at, 1)
      if (next === undefined) break
      const done: Promise<void> = run(next).finally(() => running.delete(done))
      running.add(done)
    }
    if (running.size === 0) return waiting
    await Promise.race(running)
  }
}
