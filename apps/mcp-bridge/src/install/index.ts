import { resolve } from 'node:path'
import { findNearest } from '@iii/sdk'
import { CommandFailure, EXIT, type ExitCode, toUsage } from '@iii/sdk/cli'
import type { BridgeSession } from '../cli/session.ts'
import { toBlock } from './block.ts'
import { CLIENT_NAMES, CLIENTS, type Client } from './clients.ts'
import { addServer, type Edit, removeServer, type Target } from './edit.ts'
import { look, replace, type Seen } from './write-file.ts'

/** What became of a client's configuration. */
interface Done {
  readonly client: Client
  readonly file: string
  readonly changed: boolean
  readonly backup: string | undefined
}

/** `install CLIENT` */
export async function install(session: BridgeSession): Promise<ExitCode> {
  const { flags, screen, machine, operands } = session
  const client = requireClient(operands[0] ?? '')
  const file = flags.file === undefined ? client.find(machine) : resolve(flags.file)
  if (flags.print && flags.uninstall) throw toUsage('--print and --uninstall exclude each other', 'iii-mcp install')
  if (flags.print) {
    const block = toBlock(client, machine, session.said, session.version)
    screen.printJson({ [client.key]: { [flags.name]: block } })
    screen.tell(`this goes into ${file}`)
    return EXIT.done
  }
  const done = await change(session, client, file)
  if (flags.json) {
    const { changed, backup = null } = done
    screen.printJson({ client: client.name, file, name: flags.name, changed, backup })
  } else {
    screen.print(describe(done, flags))
  }
  return EXIT.done
}

async function change(session: BridgeSession, client: Client, file: string): Promise<Done> {
  const { flags, machine, said, version } = session
  try {
    const seen = await look(file)
    const target = { client, name: flags.name, script: machine.script, force: flags.force }
    const edit = flags.uninstall
      ? toRemoval(seen, target)
      : addServer(seen.text ?? '', target, toBlock(client, machine, said, version))
    if (edit.problem !== undefined)
      throw new CommandFailure(EXIT.failed, `${file}: ${edit.problem}; nothing was written`)
    if (edit.text === (seen.text ?? '')) return { client, file, changed: false, backup: undefined }
    return { client, file, changed: true, backup: await replace(seen, edit.text, machine.now()) }
  } catch (error) {
    if (error instanceof CommandFailure) throw error
    throw new CommandFailure(EXIT.failed, `${file}: ${explain(error)}; nothing was written`)
  }
}

function toRemoval({ text }: Seen, target: Target): Edit {
  return text === undefined ? { text: '' } : removeServer(text, target)
}

function describe({ client, file, changed, backup }: Done, { name, uninstall }: BridgeSession['flags']): string {
  if (!changed) return `${name} is ${uninstall ? 'not' : 'already'} in ${file}: nothing to do\n`
  const lines = [uninstall ? `${name} was taken out of ${file}` : `${name} was put into ${file}`]
  if (backup !== undefined) lines.push(`as it was: ${backup}`)
  lines.push(`next: ${client.afterwards}`)
  return `${lines.join('\n')}\n`
}

function requireClient(name: string): Client {
  const client = CLIENTS.find((candidate) => candidate.name === name)
  if (client !== undefined) return client
  const nearest = findNearest(name, CLIENT_NAMES)
  const hint = nearest === undefined ? `known are ${CLIENT_NAMES.join(', ')}` : `did you mean ${nearest}?`
  throw toUsage(`unknown client ${name}; ${hint}`, 'iii-mcp install')
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'you may not write there',
  EPERM: 'you may not write there',
  EROFS: 'it lies on something that is read only',
  ENOSPC: 'there is no space left',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is no folder',
}

function explain(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException
  return REASONS[code] ?? message
}
