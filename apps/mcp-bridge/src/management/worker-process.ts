import { toPublicUrl } from '@iii/sdk'
import { type Ending, startProcessGroup } from '@iii/sdk/process-group'
import { toEnvironment, type WorkerHost } from './host.ts'
import { createOutput } from './output.ts'
import type { PrivateFolder } from './private-folder.ts'

/** How long it has to end, by what ends it. */
const GRACE_MS = {
  /** Its client wants it no more. */
  asked: 3_000,
  /** Its client gave up the call that started it. */
  givenUp: 500,
  /** This process ends, which has two seconds for it. */
  closing: 800,
} as const
export type StopReason = keyof typeof GRACE_MS

/** A process that runs the code of a client, with all that it has started. */
export interface WorkerProcess {
  /** Resolves when it is gone, and everything it started, and its folder. Says how it ended, in words. */
  readonly ended: Promise<string>
  readonly isRunning: boolean
  /** The end of what it wrote. */
  tail(): string
  /** Asks it to end, and ends it when it has not within the time that `why` leaves it. */
  stop(why: StopReason): Promise<void>
}

export interface ProcessOptions {
  readonly host: WorkerHost
  readonly folder: PrivateFolder
  readonly program: string
  readonly args: readonly string[]
  /** Of the engine, which it learns; nobody learns it from what it writes. */
  readonly url: string
  readonly namespace: string | undefined
}

/** Starts it in a process group of its own, which ends when this process ends, however that is. */
export function startProcess(options: ProcessOptions): WorkerProcess {
  const { host, folder, program, args, url, namespace } = options
  const group = startProcessGroup({
    command: program,
    args,
    cwd: folder.path,
    env: toEnvironment(host, { III_URL: url, ...(namespace === undefined ? {} : { III_NAMESPACE: namespace }) }),
    removes: folder.path,
    node: host.node,
  })
  group.stdin.end()
  const output = createOutput(
    new Map([
      [`file://${folder.path}/`, ''],
      [`${folder.path}/`, ''],
      [url, toPublicUrl(url)],
    ]),
  )
  output.listen(group.stdout)
  output.listen(group.stderr)
  return {
    ended: group.ended.then(formatEnding),
    get isRunning() {
      return group.isRunning
    },
    tail: output.tail,
    stop: (why) => group.stop({ graceMs: GRACE_MS[why] }),
  }
}

function formatEnding(ending: Ending): string {
  if (ending.kind === 'not_started') return ending.message
  return ending.kind === 'exit' ? `exit code ${ending.code}` : `signal ${ending.signal}`
}
