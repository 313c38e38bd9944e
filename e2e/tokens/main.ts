/** `pnpm tokens`: what the tools of the sample worker take of a context, by bytes ÷ 4. */
import { requestOnce } from '../facts.ts'
import { startStack } from '../stack.ts'
import { formatTokenTable } from './token-table.ts'
import { toCosts, type WeighedTool } from './tool-costs.ts'

await using stack = await startStack()
const { tools } = (await requestOnce(stack.mcpUrl, 'tools/list')) as { tools: WeighedTool[] }
process.stdout.write(formatTokenTable(toCosts(tools)))
