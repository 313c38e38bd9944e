import { CommandFailure, EXIT, type ExitCode } from '@iii/sdk/cli'
import { isBearerText, isOwnToken, isWholeToken, LEAST_TOKEN_LENGTH, toDigest } from '../../auth/token.ts'
import type { BridgeSession } from '../session.ts'

/** `token hash`: what the configuration file has of a token, which is read from stdin, where no list of processes shows it. */
export async function hashToken({ operands, flags, screen, host }: BridgeSession): Promise<ExitCode> {
  // It is not repeated: what is on a screen is kept by more than the shell.
  if (operands.length > 0) throw new CommandFailure(EXIT.usage, EXPOSED)
  const token = (await host.readInput()).replace(/\r?\n$/, '')
  const problem = findProblem(token)
  if (problem !== undefined) throw new CommandFailure(EXIT.usage, `the token on stdin ${problem}`)
  const hash = toDigest(token)
  if (flags.json) screen.printJson({ hash })
  else screen.print(`${hash}\n`)
  return EXIT.done
}

const EXPOSED =
  'token hash takes nothing behind it: a token in a command line is seen by whoever lists processes, and stays in the history of the shell. Take another one, and pipe it in (iii-mcp token hash < token.txt) or type it when asked'

/** Goes on after what it is about; none of it is repeated. */
function findProblem(token: string): string | undefined {
  if (token === '') return 'is missing: pipe it in, for example with: iii-mcp token hash < token.txt'
  if (token.length < LEAST_TOKEN_LENGTH) {
    return `has ${token.length} characters, and needs at least ${LEAST_TOKEN_LENGTH}: openssl rand -hex 32 makes one`
  }
  if (!isBearerText(token)) {
    return 'has characters that cannot be sent behind Bearer: only letters, digits and - . _ ~ + / can, and = at its end'
  }
  if (isOwnToken(token) && !isWholeToken(token)) return 'has a slip in it: its checksum is that of another token'
  return undefined
}
