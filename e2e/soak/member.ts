import { type Child, type ChildOptions, startChild } from '../child.ts'
import { until } from '../until.ts'

/** A process of the soak, started again whenever it has ended. */
export interface Member extends AsyncDisposable {
  readonly name: string
  /** Of the process as it was last started. */
  readonly pid: number
  /** Since when it can be used; undefined while it is away. */
  readonly upSince: number | undefined
  /** Lines that it has logged, all processes of it together. */
  lineCount(): number
  /** The last that it said. */
  said(): readonly string[]
  /** Starts it unless it is there. Resolves when it can be used. */
  start(): Promise<void>
  /** Asks it to end, and waits for that. */
  stop(): Promise<void>
  kill(): Promise<void>
  signal(name: NodeJS.Signals): void
}

const STARTS_MS = 120_000
const STOPS_MS = 30_000
const KEPT_LINES = 20

/** @param isReady whether those who need it can use it */
export function createMember(program: () => ChildOptions, isReady: () => Promise<boolean>): Member {
  const { name } = program()
  let child: Child | undefined
  let upSince: number | undefined
  let lines = 0
  let starting: Promise<void> | undefined
  async function open(): Promise<void> {
    const started = startChild({ ...program(), onLine: () => lines++ })
    child = started
    void started.exited.then(() => {
      if (child === started) upSince = undefined
    })
    const gone = new AbortController()
    void started.exited.then(() => gone.abort(new Error(`${name} has ended`)))
    const what = { what: `${name} to be ready`, deadlineMs: STARTS_MS, signal: gone.signal }
    await until(isReady, what).catch((error: Error) => {
      throw new Error(`${error.message}\n${started.stderr.slice(-KEPT_LINES).join('\n')}`)
    })
    if (started.running) upSince = performance.now()
  }
  return {
    name,
    get pid() {
      return child?.pid ?? 0
    },
    get upSince() {
      return upSince
    },
    lineCount: () => lines,
    said: () => child?.stderr.slice(-KEPT_LINES) ?? [],
    async start() {
      if (upSince !== undefined) return
      starting ??= open().finally(() => {
        starting = undefined
      })
      await starting
    },
    async stop() {
      upSince = undefined
      await child?.stop(STOPS_MS)
    },
    async kill() {
      upSince = undefined
      child?.signal('SIGKILL')
      await child?.exited
      await starting?.catch(() => undefined)
    },
    signal: (signal) => child?.signal(signal),
    async [Symbol.asyncDispose]() {
      // One that is frozen hears no other signal.
      child?.signal('SIGCONT')
      await child?.stop(STOPS_MS)
    },
  }
}
