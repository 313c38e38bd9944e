/** What stands between the beginning of a command and what it starts, when Node or npx starts it. */
const RUNNER = /^(?:.*[\\/])?(?:node(?:js)?[-.\d]*|npx|npx-cli\.js)(?:\.exe|\.cmd)?$|^(?:-y|--yes)$/i
/** This server as a package of npm, as the launcher of a checkout or of that package, and as what a worker archive unpacks. */
const SERVER = /^@iii\/mcp(?:@[^/]*)?$|[\\/]iii-mcp\.js$|[\\/]\.iii[\\/]workers[\\/]mcp$/

/**
 * Whether the entry of a client starts this server itself, of whatever version and from wherever: Node or npx is its command, and the first
 * thing that they are given is this server. What starts it in a container, by a script or over the network is somebody's own.
 *
 * @param script that runs now, under whatever name
 */
export function startsThisServer(entry: Readonly<Record<string, unknown>>, script: string): boolean {
  const { command, args = [] } = entry
  if (typeof command !== 'string' || !RUNNER.test(command) || !Array.isArray(args)) return false
  const first: unknown = args.find((word) => typeof word !== 'string' || !RUNNER.test(word))
  return typeof first === 'string' && (first === script || SERVER.test(first))
}
