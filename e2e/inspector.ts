import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Exit, runToEnd } from './child.ts'
import type { Target } from './transports.ts'

const require = createRequire(import.meta.url)
/** Its program. */
export const inspectorEntry = pathToFileURL(
  join(dirname(require.resolve('@modelcontextprotocol/inspector/package.json')), 'clients/launcher/build/index.js'),
)

/** Runs the command line of the MCP Inspector against a server. @param home where it keeps what it keeps */
export async function runInspector(
  target: Target,
  home: string,
  args: readonly string[],
): Promise<Exit & { stdout: string; stderr: string }> {
  const env = { HOME: home, USERPROFILE: home, DANGEROUSLY_OMIT_AUTH: 'true' }
  // Flags of its own have to stand before those of the server.
  const line =
    typeof target === 'string'
      ? ['--transport', 'http', target, ...args]
      : [...args, '--transport', 'stdio', '--', target.command, ...target.args]
  return await runToEnd({ name: 'inspector', entry: inspectorEntry, args: ['--cli', ...line], env })
}
