/** `pnpm tokens`: what the tools of the sample worker take of a context, by bytes ÷ 4. */
import process from 'node:process'
import { requestOnce } from '../facts.ts'
import { startStack } from '../stack.ts'
import { runWithUsage, UsageError } from '../usage.ts'
import { formatTokenTable } from './token-table.ts'
import { toCosts, type WeighedTool } from './tool-costs.ts'

const USAGE = `pnpm tokens
Prints what each tool of the sample worker takes of a context, with its two schemas, by bytes ÷ 4. It takes no words.
`

await runWithUsage(USAGE, async ([word]) => {
  if (word !== undefined) throw new UsageError(`There is nothing to tell it, and so no '${word}'.\n\n${USAGE}`)
  await using stack = await startStack()
  const { tools } = (await requestOnce(stack.mcpUrl, 'tools/list')) as { tools: WeighedTool[] }
  process.stdout.write(formatTokenTable(toCosts(tools)))
})
