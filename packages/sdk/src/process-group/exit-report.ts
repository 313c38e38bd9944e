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

/** Resolves when the supervisor has ended, with what it said on the pipe that it shares with us. */
export function waitForEnding(supervisor: ChildProcess, pipe: Readable): Promise<Ending> {
  let said = ''
  pipe.setEncoding('utf8')
  pipe.on('data', (chunk: string) => {
    said += chunk
  })
  const heard = new Promise((resolve) => void pipe.once('close', resolve))
  return new Promise((resolve) => {
    supervisor.on('error', ({ message }) => resolve(failed(`no supervisor was started: ${message}`)))
    supervisor.on('exit', (code, signal) => {
      void heard.then(() => resolve(parseEnding(said) ?? toEnding(code, signal)))
    })
  })
}

/** The one line of the supervisor; it says no other. */
function parseEnding(text: string): Ending | undefined {
  return text.endsWith('\n') ? (JSON.parse(text) as Ending) : undefined
}

/** How a program ended whose supervisor said nothing: with its group, or before it ran. */
function toEnding(code: number | null, signal: NodeJS.Signals | null): Ending {
  return signal === null ? failed(`its supervisor ended with exit code ${code}`) : { kind: 'signal', signal }
}

function failed(message: string): Ending {
  return { kind: 'not_started', reason: 'other', message }
}
