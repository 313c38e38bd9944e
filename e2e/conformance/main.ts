/**
 * `pnpm conformance [--set NAME]… [--stdio | --url URL]`: the official suite against our bridge, over HTTP or by way of a relay over
 * stdio, or against the one that answers at a URL and has the fixtures behind it. Ends with 1 when anything fails or warns.
 */
import process from 'node:process'
import { parseArgs } from 'node:util'
import { stdioBridge } from '../programs.ts'
import { OVER_STDIO } from './over-stdio.ts'
import { startRelay } from './relay.ts'
import { formatScore } from './score.ts'
import { startConformanceStack } from './stack.ts'
import { runSets, SET_NAMES, type SetName } from './suite.ts'

const USAGE = `Usage: pnpm conformance [--set ${SET_NAMES.join('|')}]… [--stdio | --url http://HOST:PORT/mcp]\n`

const asked = readArguments()
if (typeof asked === 'string') {
  process.stderr.write(`${asked}\n${USAGE}`)
  process.exitCode = 2
} else {
  const { sets, url, isStdio } = asked
  await using stack = url === undefined ? await startConformanceStack() : undefined
  await using relay = isStdio && stack ? await startRelay(stdioBridge(stack.engineUrl)) : undefined
  const mcpUrl = url ?? relay?.mcpUrl ?? stack?.mcpUrl ?? ''
  for (const [name, pending] of runSets(sets, mcpUrl, isStdio ? OVER_STDIO : {})) {
    const score = await pending
    process.stdout.write(`${formatScore(name, score)}\n`)
    if (score.problems.length > 0) process.exitCode = 1
  }
  for (const death of [...(stack?.deaths ?? []), ...(relay?.deaths ?? [])]) process.stdout.write(`${death}\n`)
}

/** @returns what is wrong with them, in words */
function readArguments(): { sets: readonly SetName[]; url: string | undefined; isStdio: boolean } | string {
  try {
    const options = {
      set: { type: 'string', multiple: true },
      url: { type: 'string' },
      stdio: { type: 'boolean' },
    } as const
    const args = process.argv.slice(2).filter((word) => word !== '--')
    const { url, stdio: isStdio = false, set } = parseArgs({ args, options }).values
    const names = set ?? (isStdio ? OVER_STDIO.sets : SET_NAMES)
    if (isStdio && url !== undefined) return '--stdio starts bridges of its own, and --url names one: use one of them.'
    const unknown = names.find((name) => !(SET_NAMES as readonly string[]).includes(name))
    if (unknown !== undefined) return `There is no set ${unknown}.`
    if (url !== undefined && !URL.canParse(url)) return `--url needs an address, not ${url}.`
    return { sets: names as readonly SetName[], url, isStdio }
  } catch (error) {
    return (error as Error).message
  }
}
