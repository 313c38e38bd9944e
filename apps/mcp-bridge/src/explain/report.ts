import { formatTable, toShown, wrap } from '@iii/sdk/cli'
import type { Placed } from '../sight.ts'
import type { Own, OwnVerdict } from './own.ts'
import type { Explained } from './survey.ts'
import type { Verdict } from './verdict.ts'

/** All functions as a table: what is shown first. */
export function formatList(
  functions: readonly Explained[],
  management: readonly Own[],
  width: number | undefined,
): string {
  const shown = functions.filter(({ tool }) => tool.shown)
  const hidden = functions.filter(({ tool }) => !tool.shown)
  const rows = [...shown, ...hidden].map(({ id, namespace, tool, prompts }) => [
    toLabel({ id, namespace }),
    tool.shown ? tool.name : `hidden (${tool.rule})`,
    [...(tool.shown ? [] : [explainHidden(tool)]), ...prompts.map(formatPrompt)].join('; '),
  ])
  const table = formatTable([{ title: 'FUNCTION' }, { title: 'TOOL' }, { title: 'NOTES' }], rows, width)
  const tools = management.map(({ name, stdio, http }) => [name, formatShort(stdio), formatShort(http)])
  const own = formatTable([{ title: 'MANAGEMENT TOOL' }, { title: 'STDIO' }, { title: 'HTTP' }], tools, width)
  return `${table}${shown.length} of ${functions.length} functions are tools\n\n${own}`
}

function toLabel({ id, namespace }: Placed): string {
  return namespace === undefined ? id : `${id} (in ${namespace})`
}

function formatShort({ shown, usable }: OwnVerdict): string {
  if (usable) return 'shown'
  return shown ? 'shown, refused' : 'hidden'
}

const DEFAULT_WIDTH = 100
const INDENT = ' '.repeat(11)

/** One function with everything there is to say. */
export function formatOne({ id, namespace, tool, section, prompts }: Explained, width = DEFAULT_WIDTH): string {
  const lines = [
    toShown(toLabel({ id, namespace })),
    ...formatWay('tool', tool, tool.name, width),
    ...formatWay('section', section, section.uri ?? 'none', width),
    ...prompts.flatMap((prompt) => formatWay('prompt', prompt, prompt.name, width)),
  ]
  return `${lines.join('\n')}\n`
}

function formatWay(way: string, verdict: Verdict, name: string, width: number): string[] {
  const label = `  ${way.padEnd(9)}`
  if (verdict.shown) return [`${label}${toShown(name)}`]
  const { reason = '', changes = [] } = verdict
  const said = wrap(toShown(`hidden: ${reason}`), Math.max(20, width - INDENT.length))
  const advice = changes.length > 0 ? changes : ['nothing: only another id would show it']
  const first = wrap(toShown(`to change that: ${advice.join(', or ')}`), Math.max(20, width - INDENT.length))
  const [head = '', ...rest] = [...said, ...first]
  return [`${label}${head}`, ...rest.map((line) => INDENT + line)]
}

const KINDS = { management_tool: 'a management tool', prompt: 'a prompt', resource: 'a resource' } as const

/** Something of the bridge itself, over each transport. */
export function formatOwn({ kind, name, stdio, http }: Own, width = DEFAULT_WIDTH): string {
  const lines = [
    `${name}: ${KINDS[kind]} of the bridge itself`,
    ...formatTransport('stdio', stdio, width),
    ...formatTransport('HTTP', http, width),
  ]
  return `${lines.join('\n')}\n`
}

function formatTransport(transport: string, { shown, usable, reason, changes = [] }: OwnVerdict, width: number) {
  const room = Math.max(20, width - INDENT.length)
  const said = usable ? ['shown'] : wrap(`${shown ? 'shown, and refused' : 'hidden'}: ${reason}`, room)
  const advice = changes.length === 0 ? 'nothing' : changes.join(', or ')
  const [head = '', ...rest] = usable ? said : [...said, ...wrap(`to change that: ${advice}`, room)]
  return [`  ${transport.padEnd(9)}${head}`, ...rest.map((line) => INDENT + line)]
}

function explainHidden({ reason = '', changes = [] }: Verdict): string {
  return changes.length === 0 ? reason : `${changes.join(', or ')} (${reason})`
}

function formatPrompt({ name, shown, reason = '' }: Explained['prompts'][number]): string {
  return shown ? `prompt ${name}` : `prompt ${name} is hidden: ${reason}`
}
