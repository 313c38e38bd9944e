import type { Clock } from '../clock.ts'
import type { GoodEntry } from '../configuration/server-config.ts'
import type { Diagnostic } from '../diagnostics/diagnostic.ts'
import type { Obstacle } from './supervisor.ts'
import type { ServerTools } from './tools.ts'

/** What is wanted of a server, and what stands against it. */
export interface DesiredState {
  entry: GoodEntry
  isAllowed: boolean
  isClosed: boolean
  /** Who else has functions under its name. */
  conflict: string | undefined
  /** It has been away for so long that its functions are gone. */
  isGone: boolean
}

export function createDesiredState(entry: GoodEntry): DesiredState {
  return { entry, isAllowed: false, isClosed: false, conflict: undefined, isGone: true }
}

/** Why it is not to run; undefined when it is. */
export async function findObstacle(
  desired: DesiredState,
  findConflict: (name: string) => Promise<string | undefined>,
): Promise<Obstacle | undefined> {
  const { name, isDisabled, isTrusted } = desired.entry.config
  if (desired.isClosed || !desired.isAllowed) return { state: 'stopped' }
  if (isDisabled) return { state: 'disabled' }
  if (!isTrusted) return { state: 'untrusted', diagnostic: toNotTrusted(name) }
  desired.conflict = await findConflict(name).catch(() => desired.conflict)
  return desired.conflict === undefined
    ? undefined
    : { state: 'conflict', diagnostic: toNameConflict(name, desired.conflict) }
}

export function toNotTrusted(name: string): Diagnostic {
  const subject = `servers.${name}.trust`
  const message = `${subject} is missing, so it is not started: it would run with all rights of the worker, in no sandbox; if that is meant, add the line \`trust: unsandboxed\``
  return { code: 'not_trusted', message, subject }
}

export function toNameConflict(name: string, owner: string) {
  const message = `${owner} has functions under \`${name}::\`, so nothing of this server is registered: rename the server, or stop that worker`
  return { code: 'name_conflict', message } as const
}

/** So long its functions stay while it is away, and say that it is. */
const AWAY_MS = 30_000

/** What becomes of the functions of a server that is away. */
export function createAbsence(clock: Clock, desired: DesiredState, tools: Pick<ServerTools, 'withdraw'>) {
  let cancel: () => void = () => undefined

  function settle(): void {
    cancel()
    desired.isGone = true
    tools.withdraw()
  }

  return {
    begin() {
      cancel()
      cancel = clock.after(AWAY_MS, settle)
    },
    end() {
      cancel()
      desired.isGone = false
    },
    settle,
  }
}
