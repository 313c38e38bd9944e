import type { ChildProcess } from 'node:child_process'
import type { Readable } from 'node:stream'

/** Why a program did not start. */
export type NotStarted = 'not_found' | 'not_executable' | 'cwd_missing' | 'other'

/** How a program ended. */
export type Ending =
  | { readonly kind: 'exit'; readonly code: number }
  | { readonly kind: 'signal'; readonly signal: NodeJS.Signals }
  /** It never ran; the message says why to people, and shows neither arguments nor variables. */
  | { readonly kind: 'not_started'; readonly reason: NotStarted; readonly message: string }

/** What a supervisor says of its program. */
export interface ProgramReport {
  /** The number of the program, once it runs. */
  readonly program: number | undefined
  /** Resolves when the supervisor has ended. */
  readonly ending: Promise<Ending>
}

/** Listens on the pipe that it shares with us. */
export function readReport(supervisor: ChildProcess, pipe: Readable): ProgramReport {
  let said = ''
  pipe.setEncoding('utf8')
  pipe.on('data', (chunk: string) => {
    said += chunk
  })
  const lines = () =>
    said
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as { program: number } | Ending)
  const heard = new Promise((resolve) => void pipe.once('close', resolve))
  const ending = new Promise<Ending>((resolve) => {
    supervisor.on('error', ({ message }) => resolve(failed(`no supervisor was started: ${message}`)))
    supervisor.on('exit', (code, signal) => {
      void heard.then(() => resolve(lines().find((line) => 'kind' in line) ?? toEnding(code, signal)))
    })
  })
  return {
    get program() {
      return lines().find((line) => 'program' in line)?.program
    },
    ending,
  }
}

/** How a program ended whose supervisor said nothing: with its group, or before it ran. */
function toEnding(code: number | null, signal: NodeJS.Signals | null): Ending {
  return signal === null ? failed(`its supervisor ended with exit code ${code}`) : { kind: 'signal', signal }
}

function failed(message: string): Ending {
  return { kind: 'not_started', reason: 'other', message }
}
