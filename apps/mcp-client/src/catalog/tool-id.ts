import { createHash } from 'node:crypto'
import { isCanonicalId, MAX_TOOL_NAME_LENGTH } from '@iii/protocol'

/** What is left of a name that cannot stay as it is. */
const MAX_CLEAN_LENGTH = 40
const HASH_LENGTH = 8

/**
 * The id of the function for a tool: `SERVER::TOOL`, where the tool keeps its name if clients of the bridge can call it by that. Any
 * other name is cleaned and cut, and ends in a hash of what it was. The same two names always make the same id, whatever else a server
 * has, and the bridge's name for it is at most 64 characters and can be read back.
 *
 * @param server at most 32 characters, without underscores
 *
 * @example
 * toToolId('github', 'create_issue') // 'github::create_issue'
 * toToolId('weather', 'get.forecast') // 'weather::get_forecast-7bc04564'
 */
export function toToolId(server: string, tool: string): string {
  const room = MAX_TOOL_NAME_LENGTH - server.length - SEPARATOR.length
  if (tool.length <= room && !tool.includes(':') && isCanonicalId(tool)) return `${server}::${tool}`
  const hash = createHash('sha256').update(tool).digest('hex').slice(0, HASH_LENGTH)
  return `${server}::${clean(tool, Math.min(MAX_CLEAN_LENGTH, room - HASH_LENGTH - 1))}-${hash}`
}

/** As the bridge writes `::`. */
const SEPARATOR = '__'

function clean(tool: string, length: number): string {
  const segment = tool
    .replace(/[^A-Za-z0-9-]+/g, '_')
    .replace(/^_/, '')
    .slice(0, length)
    .replace(/_$/, '')
  return segment === '' ? 'tool' : segment
}
