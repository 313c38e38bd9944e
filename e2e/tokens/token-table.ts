import { layOut } from '../bench/table.ts'
import { sumBytes, type ToolCost, toTokens } from './tool-costs.ts'

/** What tools take of a context, a line each, and all of them together. */
export function formatTokenTable(costs: readonly ToolCost[]): string {
  const rows = costs.map(({ name, bytes, inputBytes, outputBytes }) => [
    name,
    ...[bytes, inputBytes, outputBytes].map((part) => String(toTokens(part))),
  ])
  return layOut('tokens of the sample, bytes ÷ 4', [
    ['', 'all', 'input schema', 'output schema'],
    ...rows,
    ['sum', String(toTokens(sumBytes(costs))), '', ''],
  ])
}
