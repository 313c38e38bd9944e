/**
 * `pnpm conformance [--set NAME]… [--stdio | --url URL]`: the official suite against our bridge, over HTTP or by way of a relay over
 * stdio, or against the one that answers at a URL and has the fixtures behind it. Ends with 1 when anything fails or warns. Our bridge is on
 * an embedded engine, or on one that variables name as for `pnpm test:engine`.
 */
import process from 'node:process'
import { parseArgs } from 'node:util'
import { borrowEngine } from '../chosen-engine.ts'
import { stdioBridge } from '../programs.ts'
import { reserveNamedEngine } from '../suites/named-engine.ts'
import { runWithUsage, UsageError } from '../usage.ts'
import { OVER_STDIO } from './over-stdio.ts'
import { startRelay } from './relay.ts'
import { formatScore } from './score.ts'
import { startConformanceStack } from './stack.ts'
import { runSets, SET_NAMES, type SetName } from './suite.ts'

const USAGE = `pnpm conformance
  --set NAME  one of ${SET_NAMES.join(', ')}; may be repeated (all)
  --stdio     over stdio, by way of a relay
  --url URL   the bridge that answers there and has the fixtures behind it. Default: one of these sources on an embedded engine,
              or on the engine that variables name as for \`pnpm test:engine\`
`

interface Asked {
  sets: readonly SetName[]
  url: string | undefined
  isStdio: boolean
}

await runWithUsage(USAGE, async (words) => {
  const asked = readArguments(words)
  if (typeof asked === 'string') throw new UsageError(`${asked}\n\n${USAGE}`)
  await run(asked)
})

async function run({ url, ...asked }: Asked): Promise<void> {
  if (url !== undefined) return await tellScores(asked, url)
  await using engine = await reserveNamedEngine()
  if (engine !== undefined) borrowEngine(engine.address)
  await using stack = await startConformanceStack()
  await using relay = asked.isStdio ? await startRelay(stdioBridge(stack.engineUrl)) : undefined
  await tellScores(asked, relay?.mcpUrl ?? stack.mcpUrl)
  for (const death of [...stack.deaths, ...(relay?.deaths ?? [])]) process.stdout.write(`${death}\n`)
}

async function tellScores({ sets, isStdio }: Omit<Asked, 'url'>, mcpUrl: string): Promise<void> {
  for (const [name, pending] of runSets(sets, mcpUrl, isStdio ? OVER_STDIO : {})) {
    const score = await pending
    process.stdout.write(`${formatScore(name, score)}\n`)
    if (score.problems.length > 0) process.exitCode = 1
  }
}

/** @returns what is wrong with them, in words */
function readArguments(words: readonly string[]): Asked | string {
  try {
    const options = {
      set: { type: 'string', multiple: true },
      url: { type: 'string' },
      stdio: { type: 'boolean' },
    } as const
    const { url, stdio: isStdio = false, set } = parseArgs({ args: [...words], options }).values
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
