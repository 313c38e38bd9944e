import { resolve } from 'node:path'
import { findNearest } from '@iii/sdk'
import {
  CommandFailure,
  describeSystemError,
  EXIT,
  type ExitCode,
  type Paint,
  requireUsableFile,
  toShown,
  toUsage,
} from '@iii/sdk/cli'
import type { BridgeSession } from '../session.ts'
import { adviseOnEntry, INSTALL, toAddressBlock } from './address.ts'
import { type ServerBlock, toServerBlock } from './block.ts'
import { CLIENT_NAMES, CLIENTS, type Client } from './clients.ts'
import { addServer, type Edit, readEntryPlace, removeServer } from './edit.ts'
import type { EntryTarget } from './entry-place.ts'
import { look, replace, restoreFile, type Seen } from './write-file.ts'

/** What became of a client's configuration. */
interface Done {
  readonly client: Client
  readonly file: string
  readonly changed: boolean
  readonly difference: readonly string[]
  readonly backup: string | undefined
}

/** `install CLIENT` */
export async function install(session: BridgeSession): Promise<ExitCode> {
  const { flags, screen, host, operands } = session
  const client = requireClient(operands[0] ?? '')
  const file = flags.file === undefined ? client.find(host) : resolve(flags.file)
  checkUsage(session)
  if (flags.print) {
    await printBlock(session, client)
    screen.tell(`this goes into ${file}`)
  } else {
    const done = await change(session, client, file)
    const { changed, difference, backup = null } = done
    if (flags.json) screen.printJson({ client: client.name, file, name: flags.name, changed, difference, backup })
    else screen.print(describe(done, flags, screen.paint))
  }
  const advice = flags.transport === 'http' && !flags.uninstall ? await adviseOnEntry(session) : undefined
  if (advice !== undefined) screen.tell(advice)
  return EXIT.done
}

/** @throws CommandFailure for flags that exclude each other, and for a file that would let each start serve nothing */
function checkUsage({ flags, settings }: BridgeSession): void {
  if (flags.print && flags.uninstall) throw toUsage('--print and --uninstall exclude each other', INSTALL)
  if (flags.address !== undefined && flags.transport !== 'http') {
    throw toUsage('--address goes with --transport http', INSTALL)
  }
  if (!flags.uninstall) requireUsableFile(settings)
}

async function findBlock(session: BridgeSession, client: Client): Promise<ServerBlock> {
  const { flags, host, said, version } = session
  return flags.transport === 'http' ? toAddressBlock(client, session) : toServerBlock(client, host, said, version)
}

async function printBlock(session: BridgeSession, client: Client): Promise<void> {
  const { flags, screen } = session
  const block = await findBlock(session, client)
  const place = client.format === 'toml' && !flags.json ? readEntryPlace('', client, flags.name) : undefined
  if (place?.problem !== undefined || place === undefined) screen.printJson({ [client.key]: { [flags.name]: block } })
  else screen.print(place.put(block))
}

async function change(session: BridgeSession, client: Client, file: string): Promise<Done> {
  const { flags, host } = session
  const target = { client, name: flags.name, script: host.script, force: flags.force }
  const block = flags.uninstall ? undefined : await findBlock(session, client)
  try {
    const seen = await look(file)
    const edit = block === undefined ? toRemoval(seen, target, flags) : addServer(seen.text ?? '', target, block)
    if (edit.problem !== undefined) throw toFailure(file, edit)
    const { text, difference } = edit
    const changed = text !== (seen.text ?? '')
    if (block === undefined) await restoreFile(seen, text)
    const backup = block !== undefined && changed ? await replace(seen, text) : undefined
    return { client, file, changed, difference, backup }
  } catch (error) {
    if (error instanceof CommandFailure) throw error
    throw new CommandFailure(EXIT.failed, `${file}: ${explain(error)}; nothing was written`)
  }
}

function toRemoval({ text }: Seen, target: EntryTarget, { transport }: BridgeSession['flags']): Edit {
  if (text === undefined) return { text: '', difference: [] }
  const asAddress = removeServer(text, target, (entry) => isAddress(entry, target.client))
  if (transport === 'http') return asAddress
  const edit = removeServer(text, target)
  if (edit.problem === undefined || asAddress.problem !== undefined) return edit
  return { ...edit, advice: '--transport http takes out what is no more than an address, and --force whatever it is' }
}

/** Whether an entry says no more than the address of a server. */
function isAddress(entry: unknown, { address }: Client): boolean {
  const keys = typeof address === 'string' ? [] : Object.keys(address(''))
  return typeof entry === 'object' && entry !== null && Object.keys(entry).sort().join() === keys.sort().join()
}

function toFailure(
  file: string,
  { problem = '', difference = [], advice }: Edit & { advice?: string },
): CommandFailure {
  const lines = difference.map((line) => `\n  ${line}`).join('')
  const next = advice === undefined ? '; ' : `${lines === '' ? '; ' : '\n'}${advice}; `
  const text = `${file}: ${problem}${lines}${next}nothing was written`
  return new CommandFailure(EXIT.failed, text, { file, difference })
}

function describe(done: Done, { name, uninstall }: BridgeSession['flags'], paint: Paint): string {
  const { client, changed, difference, backup } = done
  const file = toShown(done.file)
  if (!changed) return `${name} is ${uninstall ? 'not' : 'already'} in ${file}: nothing to do\n`
  const lines = [uninstall ? `${name} was taken out of ${file}` : `${name} was put into ${file}`]
  // Of a new entry nothing went.
  if (!uninstall && difference.some((line) => line.startsWith('-')))
    lines.push(...difference.map((line) => `  ${colour(toShown(line), paint)}`))
  if (backup !== undefined) lines.push(`as it was: ${backup}`)
  lines.push(`next: ${uninstall ? `start ${client.title} again` : client.afterwards}`)
  return `${lines.join('\n')}\n`
}

function colour(line: string, paint: Paint): string {
  if (line.startsWith('-')) return paint('red', line)
  return line.startsWith('+') ? paint('green', line) : line
}

function requireClient(name: string): Client {
  const client = CLIENTS.find((candidate) => candidate.name === name)
  if (client !== undefined) return client
  const nearest = findNearest(name, CLIENT_NAMES)
  const hint = nearest === undefined ? `known are ${CLIENT_NAMES.join(', ')}` : `did you mean ${nearest}?`
  throw toUsage(`unknown client ${name}; ${hint}`, INSTALL)
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'you may not write there',
  EPERM: 'you may not write there',
  ENOENT: 'the folder it goes into is not there, and none can be made',
}

function explain(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException
  return REASONS[code] ?? describeSystemError(error) ?? message
}
