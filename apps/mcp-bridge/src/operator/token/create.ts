import { CommandFailure, EXIT, type ExitCode } from '@iii/sdk/cli'
import { Name } from '../../auth/settings/words.ts'
import { createToken, toDigest } from '../../auth/token.ts'
import type { BridgeSession } from '../session.ts'

/** `token create NAME`: nothing keeps the token, and so nothing can show it again. */
export async function makeToken({ operands, flags, screen }: BridgeSession): Promise<ExitCode> {
  const name = requireName(operands[0] ?? '')
  const token = createToken()
  const entry = { name, hash: [toDigest(token)] }
  if (flags.json) {
    screen.printJson({ token, entry })
    return EXIT.done
  }
  screen.tell('The token, which is shown this once:')
  screen.print(`${token}\n`)
  screen.tell(formatBlock(entry))
  return EXIT.done
}

interface TokenEntry {
  readonly name: string
  readonly hash: readonly string[]
}

function formatBlock({ name, hash }: TokenEntry): string {
  return [
    'For the file that the server is started with (--config):',
    '',
    'auth:',
    '  mode: required',
    '  tokens:',
    `    - { name: ${name}, hash: ["${hash.join('", "')}"] }`,
    '',
    'Clients send it in the header Authorization: Bearer TOKEN',
  ].join('\n')
}

function requireName(text: string): string {
  const parsed = Name.safeParse(text)
  if (parsed.success) return text
  throw new CommandFailure(EXIT.usage, `NAME ${parsed.error.issues[0]?.message}`)
}
