import { type Child, type ChildOptions, type Exit, startChild } from '../child.ts'

/** How long the workers have to say goodbye, and the engine after them. */
const WORKER_PATIENCE_MS = 2000
const ENGINE_PATIENCE_MS = 700
/** How long an engine may take to write what it keeps. */
const WRITING_PATIENCE_MS = 15_000

/** How a process of the crew ended. */
export interface CrewEnding {
  child: Child
  exit: Exit
}

/** The processes that `start` runs. Either all of them run, or none. */
export interface Crew {
  add(program: ChildOptions): Child
  /** Resolves with the first process that ended without being told to. */
  readonly loss: Promise<CrewEnding>
  /** Stops the workers, then the engine. Resolves with how an engine ended that was still running. */
  stop(): Promise<CrewEnding | undefined>
  /** Ends everything on the spot. */
  kill(): void
}

export interface CrewOptions {
  /** The engine keeps its state and gets the time to write it. */
  keepsData: boolean
  onLine(name: string, line: string): void
}

export function createCrew({ keepsData, onLine }: CrewOptions): Crew {
  const members: Child[] = []
  let stopping = false
  let reportLoss: (loss: CrewEnding) => void = () => {}
  const loss = new Promise<CrewEnding>((resolve) => {
    reportLoss = resolve
  })

  return {
    loss,
    add(program) {
      if (stopping) throw new Error('Stopping already')
      const child = startChild({ ...program, onLine: (line) => onLine(program.name, line) })
      members.push(child)
      void child.exited.then((exit) => {
        if (!stopping) reportLoss({ child, exit })
      })
      return child
    },
    async stop() {
      stopping = true
      const engine = members.find(({ name, running }) => name === 'engine' && running)
      const workers = members.filter(({ name }) => name !== 'engine')
      await Promise.all(workers.map((worker) => worker.stop(WORKER_PATIENCE_MS)))
      if (engine === undefined) return undefined
      return { child: engine, exit: await engine.stop(keepsData ? WRITING_PATIENCE_MS : ENGINE_PATIENCE_MS) }
    },
    kill() {
      stopping = true
      for (const member of members) member.signal('SIGKILL')
    },
  }
}
