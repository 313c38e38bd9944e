/**
 * Something the engine cannot go on from. It takes down the task it happens in and nothing else: a connection is never
 * read again though it stays open, a call is never answered, the clean-up after a worker stops half-way.
 */
export class Panic extends Error {
  override name = 'Panic'
}

/** Runs a task that nobody waits for. */
export function ignorePanic(task: () => void): void {
  try {
    task()
  } catch (error) {
    if (!(error instanceof Panic)) throw error
  }
}
