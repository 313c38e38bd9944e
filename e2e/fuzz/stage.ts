import { createCleanup } from '../cleanup.ts'
import { startStack } from '../stack.ts'
import type { FuzzTarget } from './target.ts'
import { createAddressTarget } from './targets/addresses.ts'
import { folderTarget, frontMatterTarget, yamlTarget } from './targets/documents.ts'
import { createBusTarget } from './targets/over-bus.ts'
import { createHttpTarget } from './targets/over-http.ts'
import { createStdioTarget } from './targets/over-stdio.ts'
import { serversTarget } from './targets/servers.ts'

const ALONE = [yamlTarget, frontMatterTarget, folderTarget, serversTarget]
const ON_STACK = ['http', 'addresses', 'stdio', 'bus']

export const TARGETS: readonly string[] = [...ON_STACK, ...ALONE.map(({ name }) => name)]

/** The targets of these names, and the processes that some of them need. */
export async function startTargets(
  names: readonly string[],
): Promise<AsyncDisposable & { targets: readonly FuzzTarget[] }> {
  const { use, run } = createCleanup()
  const wanted = ({ name }: { name: string }) => names.includes(name)
  const alone = ALONE.filter(wanted) as unknown as FuzzTarget[]
  if (!ON_STACK.some((name) => names.includes(name))) return { targets: alone, [Symbol.asyncDispose]: run }
  const { mcpUrl, engineUrl, worker } = use(await startStack())
  const onStack = [
    createHttpTarget(mcpUrl),
    createAddressTarget(mcpUrl),
    use(createStdioTarget(engineUrl)),
    createBusTarget(worker),
  ]
  return { targets: [...(onStack.filter(wanted) as unknown as FuzzTarget[]), ...alone], [Symbol.asyncDispose]: run }
}
