import { formatTable, type Paint, PLAIN, toShown, wrap } from '@iii/sdk/cli'
import type { Placed } from '../../gate/sight.ts'
import type { BuiltIn, BuiltInVerdict } from './built-in.ts'
import type { Explained } from './explained.ts'
import type { Verdict } from './verdict.ts'

export interface Listing {
  readonly functions: readonly Explained[]
  /** Of the registry. */
  readonly resources: readonly { readonly uri: string; readonly name: string }[]
  readonly management: readonly BuiltIn[]
  /** That of the bridge; undefined for `default`. */
  readonly namespace: string | undefined
}

/** Everything that clients see or do not: what is shown first, and below what is hidden what would change that. */
export function formatList(
  { functions, resources, management, namespace: own }: Listing,
  width = DEFAULT_WIDTH,
): string {
  const shown = functions.filter(({ tool }) => tool.shown)
  const hidden = functions.filter(({ tool }) => !tool.shown)
  const rows = [...shown, ...hidden].map(({ id, namespace, tool }) => [
    toLabel({ id, namespace }),
    tool.shown ? tool.name : `hidden (${tool.rule})`,
  ])
  const [head, ...lines] = formatTable([{ title: 'FUNCTION' }, { title: 'TOOL' }], rows, width)
    .trimEnd()
    .split('\n')
  const notes = [...shown, ...hidden].map((explained) => formatNotes(explained, width))
  const table = [head, ...lines.flatMap((line, at) => [line, ...(notes[at] ?? [])])].join('\n')
  const where = own === undefined ? '' : ` of a bridge in the namespace '${own}'`
  const tools = management.map(({ name, stdio, http }) => [name, formatShort(stdio), formatShort(http)])
  const addresses = resources.map(({ uri, name }) => [uri, name])
  return [
    `${table}\n${shown.length} of ${functions.length} functions are tools${where}\n`,
    ...(addresses.length === 0 ? [] : [formatTable([{ title: 'ADDRESS' }, { title: 'NAME' }], addresses, width)]),
    formatTable([{ title: 'MANAGEMENT TOOL' }, { title: 'STDIO' }, { title: 'HTTP' }], tools, width),
  ].join('\n')
}

function formatNotes({ tool, prompts }: Explained, width: number): string[] {
  const notes = [...(tool.shown ? [] : [explainHidden(tool)]), ...prompts.map(formatPrompt)]
  return notes.flatMap((note) => wrap(toShown(note), Math.max(20, width - NOTE.length)).map((line) => NOTE + line))
}

const NOTE = ' '.repeat(4)

/** An address that is no function's. */
export function formatAddress({ uri, name }: { readonly uri: string; readonly name: string }): string {
  return `${toShown(uri)}: ${toShown(name)}, of the registry\n  resource   shown: clients list it and read it\n`
}

function toLabel({ id, namespace }: Placed): string {
  return namespace === undefined ? id : `${id} (in ${namespace})`
}

function formatShort({ shown, usable }: BuiltInVerdict): string {
  if (usable) return 'shown'
  return shown ? 'shown, refused' : 'hidden'
}

const DEFAULT_WIDTH = 80
const INDENT = ' '.repeat(11)

/** One function with everything there is to say. */
export function formatOne(
  { id, namespace, tool, section, prompts }: Explained,
  width = DEFAULT_WIDTH,
  paint = PLAIN,
): string {
  const lines = [
    toShown(toLabel({ id, namespace })),
    ...formatWay('tool', tool, { name: tool.name, width, paint }),
    ...formatWay('section', section, { name: section.uri ?? 'none', width, paint }),
    ...prompts.flatMap((prompt) => formatWay('prompt', prompt, { name: prompt.name, width, paint })),
  ]
  return `${lines.join('\n')}\n`
}

interface Look {
  readonly name: string
  readonly width: number
  readonly paint: Paint
}

function formatWay(way: string, verdict: Verdict, { name, width, paint }: Look): string[] {
  const label = `  ${way.padEnd(9)}`
  if (verdict.shown) return [`${label}${paint('green', toShown(name))}`]
  const { reason = '', changes = [] } = verdict
  const said = wrap(toShown(`hidden: ${reason}`), Math.max(20, width - INDENT.length))
  const advice = formatChanges(changes, 'nothing changes that; under another id the same function would be shown')
  const first = wrap(toShown(advice), Math.max(20, width - INDENT.length))
  const [head = '', ...rest] = [...said, ...first]
  return [`${label}${head.replace('hidden', paint('red', 'hidden'))}`, ...rest.map((line) => INDENT + line)]
}

const KINDS = {
  management_tool: 'a management tool',
  search_tool: 'a tool',
  prompt: 'a prompt',
  resource: 'a resource',
} as const

/** Something of the bridge itself, over each transport. */
export function formatOwn({ kind, name, stdio, http }: BuiltIn, width = DEFAULT_WIDTH): string {
  const lines = [
    `${name}: ${KINDS[kind]} of the bridge itself`,
    ...formatTransport('stdio', stdio, width),
    ...formatTransport('HTTP', http, width),
  ]
  return `${lines.join('\n')}\n`
}

function formatTransport(transport: string, { shown, usable, reason, changes = [] }: BuiltInVerdict, width: number) {
  const room = Math.max(20, width - INDENT.length)
  const said = usable ? ['shown'] : wrap(`${shown ? 'shown, and refused' : 'hidden'}: ${reason}`, room)
  const advice = formatChanges(changes, 'nothing changes that')
  const [head = '', ...rest] = usable ? said : [...said, ...wrap(advice, room)]
  return [`  ${transport.padEnd(9)}${head}`, ...rest.map((line) => INDENT + line)]
}

/** @param otherwise where nothing can be done */
function formatChanges(changes: readonly string[], otherwise: string): string {
  return changes.length === 0 ? otherwise : `to change that: ${changes.join(', or ')}`
}

function explainHidden({ reason = '', changes = [] }: Verdict): string {
  return changes.length === 0 ? reason : `${changes.join(', or ')} (${reason})`
}

function formatPrompt({ name, shown, reason = '' }: Explained['prompts'][number]): string {
  return shown ? `prompt ${name}` : `prompt ${name} is hidden: ${reason}`
}
