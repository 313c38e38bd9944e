import { formatTable, toShown, wrap } from '@iii/sdk'
import type { Explained } from './survey.ts'
import type { Verdict } from './verdict.ts'

/** All functions as a table: what is shown first. */
export function formatList(functions: readonly Explained[], width: number | undefined): string {
  const shown = functions.filter(({ tool }) => tool.shown)
  const hidden = functions.filter(({ tool }) => !tool.shown)
  const rows = [...shown, ...hidden].map(({ id, tool, prompts }) => [
    id,
    tool.shown ? tool.name : `hidden (${tool.rule})`,
    [...(tool.shown ? [] : [explainHidden(tool)]), ...prompts.map(formatPrompt)].join('; '),
  ])
  const table = formatTable([{ title: 'FUNCTION' }, { title: 'TOOL' }, { title: 'NOTES' }], rows, width)
  return `${table}${shown.length} of ${functions.length} functions are tools\n`
}

const DEFAULT_WIDTH = 100
const INDENT = ' '.repeat(11)

/** One function with everything there is to say. */
export function formatOne({ id, tool, section, prompts }: Explained, width = DEFAULT_WIDTH): string {
  const lines = [
    toShown(id),
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

function explainHidden({ reason = '', changes = [] }: Verdict): string {
  return changes.length === 0 ? reason : `${changes.join(', or ')} (${reason})`
}

function formatPrompt({ name, shown, reason = '' }: Explained['prompts'][number]): string {
  return shown ? `prompt ${name}` : `prompt ${name} is hidden: ${reason}`
}
