import { toVisible } from '@iii/protocol'

/** What the embedded engine says on stderr when something is wrong. */
const OF_ENGINE = /^iii-mock-engine: (?:warn|error): (.*)$/
const WARN = 40

/** What a line of a part tells people while everything runs; undefined for all others. */
export function toComplaint(name: string, line: string): string | undefined {
  if (name === 'mcp-client') return toServerComplaint(line)
  const said = name === 'engine' ? OF_ENGINE.exec(line)?.[1] : undefined
  return said === undefined ? undefined : `The engine says: ${said}`
}

/** Whoever has written a file of servers wants to know at once what is wrong with it; of a server that is tried again, once. */
function toServerComplaint(line: string): string | undefined {
  const { level, server, code, file, reason, msg, failures = 1 } = parse(line)
  if (typeof level !== 'number' || level < WARN || failures !== 1) return undefined
  if (server !== undefined && code !== undefined) return toLine(`The MCP server ${server}: ${code}: ${reason}`)
  const why = reason === undefined ? '' : `: ${reason}`
  return file === undefined ? undefined : toLine(`The file ${file}: ${msg}${why}`)
}

/** Servers of strangers have words in it. */
function toLine(text: string): string {
  return toVisible(text).replaceAll('\n', ' ')
}

function parse(line: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
