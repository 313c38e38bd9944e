/** `pnpm tokens`: what the tools of the sample worker take of a context, by bytes ÷ 4. */
import { layOut } from '../bench/table.ts'
import { ask } from '../facts.ts'
import { startStack } from '../stack.ts'
import { type ListedTool, sumBytes, toCosts, toTokens } from './tool-costs.ts'

await using stack = await startStack()
const { tools } = (await ask(stack.mcpUrl, 'tools/list')) as { tools: ListedTool[] }
const costs = toCosts(tools)
const rows = costs.map(({ name, bytes, inputBytes, outputBytes }) => [
  name,
  ...[bytes, inputBytes, outputBytes].map((part) => String(toTokens(part))),
])
const title = 'tokens of the sample, bytes ÷ 4'
process.stdout.write(
  layOut(title, [
    ['', 'all', 'input schema', 'output schema'],
    ...rows,
    ['sum', String(toTokens(sumBytes(costs))), '', ''],
  ]),
)
