/** `pnpm tokens`: what the tools of the sample worker take of a context, by bytes ÷ 4. */
import { ask } from '../facts.ts'
import { startStack } from '../stack.ts'
import { formatTokenTable } from './token-table.ts'
import { type ListedTool, toCosts } from './tool-costs.ts'

await using stack = await startStack()
const { tools } = (await ask(stack.mcpUrl, 'tools/list')) as { tools: ListedTool[] }
process.stdout.write(formatTokenTable(toCosts(tools)))
