import { type Column, EXIT, formatTable, type Screen, suggestAmong } from '@iii/sdk/cli'
import { formatBytes, formatTime } from './cells.ts'
import type { CutList } from './remote.ts'
import type { CommandSession, RegistryWork } from './session.ts'

/** `list [PREFIX]` */
export const listSkills: RegistryWork = async (session) => {
  const remote = await session.connect()
  const [listed, titles] = await Promise.all([remote.listSkills(), remote.listTitles()])
  const skills = byPrefix(session, listed, ({ id }) => id).map((skill) => ({ ...skill, title: titles.get(skill.id) }))
  show(session.screen, session.flags.json, {
    what: 'skills',
    none: explainNone('skills', session, listed, ({ id }) => id),
    leftOut: listed.leftOut,
    entries: skills,
    columns: [{ title: 'ID' }, { title: 'SIZE', right: true }, { title: 'REGISTERED (UTC)' }],
    toCells: ({ id, bytes, registered_at }) => [id, formatBytes(bytes), formatTime(registered_at)],
    last: { title: 'TITLE', toCell: ({ title = '' }) => title },
  })
  return EXIT.done
}

/** `prompts list [PREFIX]` */
export const listPrompts: RegistryWork = async (session) => {
  const remote = await session.connect()
  const [listed, descriptions] = await Promise.all([remote.listPrompts(), remote.listDescriptions()])
  const prompts = byPrefix(session, listed, ({ name }) => name).map((prompt) => ({
    ...prompt,
    description: descriptions.get(prompt.name),
  }))
  show(session.screen, session.flags.json, {
    what: 'prompts',
    none: explainNone('prompts', session, listed, ({ name }) => name),
    leftOut: listed.leftOut,
    entries: prompts,
    columns: [{ title: 'NAME' }, { title: 'FUNCTION' }, { title: 'ARGS', right: true }, { title: 'REGISTERED (UTC)' }],
    toCells: ({ name, function_id, arguments: args, registered_at }) => [
      name,
      function_id,
      String(args),
      formatTime(registered_at),
    ],
    last: { title: 'DESCRIPTION', toCell: ({ description = '' }) => description },
  })
  return EXIT.done
}

function byPrefix<T>(
  { operands: [prefix = ''] }: CommandSession,
  { entries }: CutList<T>,
  toName: (entry: T) => string,
): T[] {
  return entries.filter((entry) => toName(entry).startsWith(prefix))
}

/** What is said where a list is empty. */
function explainNone<T>(
  what: string,
  { operands: [prefix] }: CommandSession,
  listed: CutList<T>,
  toName: (entry: T) => string,
) {
  const names = listed.entries.map(toName)
  return prefix === undefined || names.length === 0
    ? `no ${what}`
    : `no ${what} begin with '${prefix}'; ${suggestAmong(prefix, names)}`
}

interface Shown<T> {
  what: 'skills' | 'prompts'
  none: string
  leftOut: number
  entries: readonly T[]
  columns: readonly Column[]
  toCells(entry: T): string[]
  /** The column that is cut first. */
  last: { title: string; toCell(entry: T): string }
}

function show<T extends Owned>(screen: Screen, json: boolean, shown: Shown<T>): void {
  const { what, none, leftOut, entries } = shown
  if (json) {
    screen.printJson({ [what]: entries, left_out: leftOut })
  } else if (entries.length > 0) {
    screen.print(toTable(shown, screen.columns))
  } else {
    screen.tell(none)
  }
  tellLeftOut(screen, what, leftOut)
}

function toTable<T extends Owned>({ columns, entries, toCells, last }: Shown<T>, width: number | undefined): string {
  const hasOwners = entries.some(({ owner }) => owner !== undefined)
  const ownerColumn = hasOwners ? [{ title: 'OWNER' }] : []
  const rows = entries.map((entry) => [
    ...toCells(entry),
    ...(hasOwners ? [toOwnerCell(entry)] : []),
    last.toCell(entry),
  ])
  return formatTable([...columns, ...ownerColumn, { title: last.title }], rows, width)
}

interface Owned {
  owner?: string | undefined
  away?: string | undefined
}

function toOwnerCell({ owner = '', away }: Owned): string {
  return away === undefined ? owner : `${owner} (away)`
}

/** A registry answers in one message, and may not have room for all. */
export function tellLeftOut(screen: Screen, what: string, leftOut: number): void {
  if (leftOut > 0) screen.tell(`the registry has ${leftOut} more ${what} than it lists`)
}
