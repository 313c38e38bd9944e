import { type Child, type ChildOptions, startChild } from '../child.ts'

/** How long the workers have to say goodbye, and the engine after them. */
const WORKER_PATIENCE_MS = 2000
const ENGINE_PATIENCE_MS = 700

/** The processes that `start` runs. Either all of them run, or none. */
export interface Crew {
  add(program: ChildOptions): Child
  /** Resolves with the first process that ended without being told to. */
  readonly loss: Promise<Child>
  /** Stops the workers, then the engine, which was added first. */
  stop(): Promise<void>
  /** Ends everything on the spot. */
  kill(): void
}

export function createCrew(onLine: (name: string, line: string) => void): Crew {
  const members: Child[] = []
  let stopping = false
  let reportLoss: (child: Child) => void = () => {}
  const loss = new Promise<Child>((resolve) => {
    reportLoss = resolve
  })

  return {
    loss,
    add(program) {
      if (stopping) throw new Error('Stopping already')
      const child = startChild({ ...program, onLine: (line) => onLine(program.name, line) })
      members.push(child)
      void child.exited.then(() => {
        if (!stopping) reportLoss(child)
      })
      return child
    },
    async stop() {
      stopping = true
      const [engine, ...workers] = members
      await Promise.all(workers.map((worker) => worker.stop(WORKER_PATIENCE_MS)))
      await engine?.stop(ENGINE_PATIENCE_MS)
    },
    kill() {
      stopping = true
      for (const member of members) member.signal('SIGKILL')
    },
  }
}
