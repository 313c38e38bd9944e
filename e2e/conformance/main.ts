/**
 * `pnpm conformance [--set NAME]… [--url URL]`: the official suite against our bridge, or against the one that answers at a URL
 * and has the fixtures behind it. Ends with 1 when anything fails or warns.
 */
import process from 'node:process'
import { parseArgs } from 'node:util'
import { formatScore } from './score.ts'
import { startConformanceStack } from './stack.ts'
import { runSets, SET_NAMES, type SetName } from './suite.ts'

const USAGE = `Usage: pnpm conformance [--set ${SET_NAMES.join('|')}]… [--url http://HOST:PORT/mcp]\n`

const asked = readArguments()
if (typeof asked === 'string') {
  process.stderr.write(`${asked}\n${USAGE}`)
  process.exitCode = 2
} else {
  const { sets, url } = asked
  await using stack = url === undefined ? await startConformanceStack() : undefined
  for (const [name, pending] of runSets(sets, url ?? stack?.mcpUrl ?? '')) {
    const score = await pending
    process.stdout.write(`${formatScore(name, score)}\n`)
    if (score.problems.length > 0) process.exitCode = 1
  }
  if (stack !== undefined) process.stdout.write(stack.deaths.map((death) => `${death}\n`).join(''))
}

/** @returns what is wrong with them, in words */
function readArguments(): { sets: readonly SetName[]; url: string | undefined } | string {
  try {
    const options = { set: { type: 'string', multiple: true }, url: { type: 'string' } } as const
    const args = process.argv.slice(2).filter((word) => word !== '--')
    const { url, set: names = SET_NAMES } = parseArgs({ args, options }).values
    const unknown = names.find((name) => !(SET_NAMES as readonly string[]).includes(name))
    if (unknown !== undefined) return `There is no set ${unknown}.`
    if (url !== undefined && !URL.canParse(url)) return `--url needs an address, not ${url}.`
    return { sets: names as readonly SetName[], url }
  } catch (error) {
    return (error as Error).message
  }
}
