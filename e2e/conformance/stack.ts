import { type Child, explainDeath, startChild } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { requestOnce } from '../facts.ts'
import { isSearchMode } from '../search-mode.ts'
import { startStack } from '../stack.ts'
import { until } from '../until.ts'

/** A bridge with everything that the suite looks for behind it. */
export interface ConformanceStack extends AsyncDisposable {
  readonly engineUrl: string
  readonly mcpUrl: string
  /** What became of the processes that ended by themselves, if any. */
  readonly deaths: readonly string[]
}

/** The suite looks for the name of a SKILL.md among the resources. */
const SKILLS_FLAGS = ['--list-skill-files']

/**
 * Starts engine, registry, bridge and fixtures; resolves when clients see all of it.
 *
 * @param bridgeFlags instead of those that a bridge over HTTP has
 */
export async function startConformanceStack(bridgeFlags?: readonly string[]): Promise<ConformanceStack> {
  const { use, run } = createCleanup()
  const deaths: string[] = []
  let isOver = false
  const watch = (child: Child) =>
    void child.exited.then((exit) => {
      if (!isOver) deaths.push(explainDeath(child, exit))
    })
  const stop = async () => {
    isOver = true
    await run()
  }
  try {
    const { engineUrl, mcpUrl, children } = use(
      await startStack({
        workers: ['skills', 'bridge'],
        skillsFlags: SKILLS_FLAGS,
        ...(bridgeFlags && { bridgeFlags }),
      }),
    )
    const entry = new URL('./fixture-worker.ts', import.meta.url)
    const fixtures = use(startChild({ name: 'conformance', entry, args: ['--url', engineUrl] }))
    for (const child of [...children.values(), fixtures]) watch(child)
    await waitForFixtures(mcpUrl, isSearchMode() || bridgeFlags?.includes('search') ? FOUND : SIGNS, () => deaths[0])
    return { engineUrl, mcpUrl, deaths, [Symbol.asyncDispose]: stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** One of each kind, the last that the worker offers. */
const PROMPT: Sign = ['prompts/list', {}, '"test_simple_prompt"']
const SIGNS: readonly Sign[] = [['tools/list', {}, '"test_tool_with_task"'], PROMPT]
/** The same where lists do not have all tools. */
const SEARCHED = { name: 'search_tools', arguments: { query: 'test_tool_with_task', limit: 20, detail: 'names' } }
const FOUND: readonly Sign[] = [['tools/call', SEARCHED, '"test_tool_with_task"'], PROMPT]
type Sign = readonly [method: string, params: object, sign: string]

async function waitForFixtures(
  mcpUrl: string,
  signs: readonly Sign[],
  findDeath: () => string | undefined,
): Promise<void> {
  for (const [method, params, sign] of signs) {
    const isThere = async () => JSON.stringify((await requestOnce(mcpUrl, method, params)) ?? null).includes(sign)
    await until(async () => findDeath() ?? (await isThere()), { what: `${sign} in ${method}` })
    const death = findDeath()
    if (death !== undefined) throw new Error(death)
  }
}
