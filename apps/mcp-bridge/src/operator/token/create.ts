import { CommandFailure, EXIT, type ExitCode } from '@iii/sdk/cli'
import { Name } from '../../auth/settings/words.ts'
import { createToken, toDigest } from '../../auth/token.ts'
import type { BridgeSession } from '../session.ts'

/** `token create NAME`: nothing keeps the token, and so nothing can show it again. */
export async function makeToken({ operands, flags, screen }: BridgeSession): Promise<ExitCode> {
  const name = requireName(operands[0] ?? '', 'NAME')
  const grant = requireName(flags.grant, '--grant')
  if (grant === 'deny') throw new CommandFailure(EXIT.usage, '--grant must have another name: deny means no grant')
  const token = createToken()
  const entry = { name, hash: [toDigest(token)], grant }
  if (flags.json) {
    screen.printJson({ token, entry })
    return EXIT.done
  }
  screen.tell('# The token, which is shown this once:')
  screen.print(`${token}\n`)
  screen.tell(formatBlock(entry))
  return EXIT.done
}

interface TokenEntry {
  readonly name: string
  readonly hash: readonly string[]
  readonly grant: string
}

/** Its words are comments, so that what goes to stderr may be kept in a file as it is. Without quotes YAML takes some names for numbers. */
function formatBlock({ name, hash, grant }: TokenEntry): string {
  const quoted = JSON.stringify(grant)
  return [
    '# For the file that the server is started with (--config). A grant narrows what the bridge shows; {} is all of that but functions that ask for a scope:',
    '',
    'auth:',
    '  mode: required',
    '  tokens:',
    `    - { name: ${JSON.stringify(name)}, hash: ["${hash.join('", "')}"], grant: ${quoted} }`,
    '  grants:',
    `    ${quoted}: {}`,
    '',
    '# Clients send it in the header Authorization: Bearer TOKEN',
  ].join('\n')
}

function requireName(text: string, what: string): string {
  const parsed = Name.safeParse(text)
  if (parsed.success) return text
  throw new CommandFailure(EXIT.usage, `${what} ${parsed.error.issues[0]?.message}`)
}
