import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Exit, runToEnd } from './child.ts'
import { toListedCall } from './search-mode.ts'
import type { ServerTarget } from './transports.ts'

const require = createRequire(import.meta.url)
/** Its program. */
export const inspectorEntry = pathToFileURL(
  join(dirname(require.resolve('@modelcontextprotocol/inspector/package.json')), 'clients/launcher/build/index.js'),
)

/** It loads for seconds where the machine is busy. */
const DEADLINE_MS = 80_000

/** Runs the command line of the MCP Inspector against a server. @param home where it keeps what it keeps */
export async function runInspector(
  target: ServerTarget,
  home: string,
  args: readonly string[],
  deadlineMs = DEADLINE_MS,
): Promise<Exit & { stdout: string; stderr: string }> {
  const env = { HOME: home, USERPROFILE: home, DANGEROUSLY_OMIT_AUTH: 'true' }
  // Flags of its own have to stand before those of the server.
  const line =
    typeof target === 'string'
      ? ['--transport', 'http', target, ...args]
      : [...args, '--transport', 'stdio', '--', target.command, ...target.args]
  return await runToEnd({ name: 'inspector', entry: inspectorEntry, args: ['--cli', ...line], env }, deadlineMs)
}

/** Its words for a call of a tool without arguments; it calls only what is listed. */
export function toInspectorCall(tool: string): string[] {
  const { name, arguments: args } = toListedCall(tool, {})
  const words = Object.entries(args).flatMap(([key, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    return ['--tool-arg', `${key}=${text}`]
  })
  return ['--method', 'tools/call', '--tool-name', name, ...words]
}
