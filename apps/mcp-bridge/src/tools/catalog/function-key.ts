import { isHashedToolName, parsePlacedToolName, parseToolName } from '@iii/protocol'
import { toKey } from '../../gate/sight.ts'

/** @param findListed looks for the name among those that are listed; a hash that is none of them may be of something newer */
export function findKey(
  toolName: string,
  findListed: () => string | undefined,
  upToDate: () => Promise<unknown>,
): string | undefined | Promise<string | undefined> {
  const functionId = toFunctionKey(toolName) ?? findListed()
  if (functionId !== undefined || !isHashedToolName(toolName)) return functionId
  return upToDate().then(findListed)
}

const MAX_NAMES = 2_000
const keys = new Map<string, string>()

/** Whose a name is that says it by itself; it need not be there, or in sight. A busy tool's is not read anew for each call. */
function toFunctionKey(toolName: string): string | undefined {
  const known = keys.get(toolName)
  if (known !== undefined) return known
  const placed = parsePlacedToolName(toolName)
  const key = placed === undefined ? parseToolName(toolName) : toKey(placed)
  if (key === undefined) return undefined
  if (keys.size >= MAX_NAMES) keys.clear()
  keys.set(toolName, key)
  return key
}
