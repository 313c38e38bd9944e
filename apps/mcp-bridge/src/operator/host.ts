import { realpathSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { type Host, readHost } from '@iii/sdk'
import { readHidden } from './token/hidden-input.ts'

/** The computer that a command runs on, as far as commands look at it. Tests have one of their own. */
export interface OperatorHost extends Host {
  readonly env: Readonly<Record<string, string | undefined>>
  /** What somebody has put into the environment to say who they are. */
  readonly token: string | undefined
  /** The file that Node was started with to run this: a program of one file, or what starts one. From sources, it lies in a checkout. */
  readonly script: string
  /** All that comes on stdin; from a terminal, a line that is not shown. */
  readInput(): Promise<string>
}

/** The real one. */
export function readOperatorHost(env: Readonly<Record<string, string | undefined>>, token?: string): OperatorHost {
  return {
    ...readHost(),
    env,
    token: token || undefined,
    script: findScript(fileURLToPath(import.meta.url)),
    readInput: () => (process.stdin.isTTY ? readHidden(process.stdin, tell) : text(process.stdin)),
  }
}

const tell = (text: string) => void process.stderr.write(text)

const SOURCE = /[\\/]src[\\/]operator[\\/]host\.ts$/

/** @param self this source, or the program that it has become a part of; a link to that may be on the PATH */
function findScript(self: string): string {
  return SOURCE.test(self) ? self.replace(SOURCE, '/bin/iii-mcp.js') : realpathSync(self)
}
