import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Exit, runToEnd } from './child.ts'

const require = createRequire(import.meta.url)
const entry = pathToFileURL(
  join(dirname(require.resolve('@modelcontextprotocol/inspector/package.json')), 'clients/launcher/build/index.js'),
)

/** Runs the command line of the MCP Inspector against a server. @param home where it keeps what it keeps */
export async function runInspector(
  mcpUrl: string,
  home: string,
  args: readonly string[],
): Promise<Exit & { stdout: string; stderr: string }> {
  const env = { HOME: home, USERPROFILE: home, DANGEROUSLY_OMIT_AUTH: 'true' }
  return await runToEnd({ name: 'inspector', entry, args: ['--cli', '--transport', 'http', mcpUrl, ...args], env })
}
