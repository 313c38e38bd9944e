import type { ServerConfig } from '../configuration/server-config.ts'

/**
 * Tells whether the configuration lets a tool become a function. `*` stands for any text. What is denied is denied in capital letters too,
 * and whatever else allows it.
 *
 * @param tool as the server names it
 */
export function isAllowed({ tools }: Pick<ServerConfig, 'tools'>, tool: string): boolean {
  const lower = toLowerAscii(tool)
  if (tools.deny.some((pattern) => isMatch(toLowerAscii(pattern), lower))) return false
  return tools.allow.some((pattern) => isMatch(pattern, tool))
}

/** Part after part, each at the first place where it fits: no pattern takes longer for being wicked. */
function isMatch(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  if (last === undefined) return pattern === text
  const end = text.length - last.length
  if (end < first.length || !text.startsWith(first) || !text.endsWith(last)) return false
  let at = first.length
  for (const part of rest) {
    const found = text.indexOf(part, at)
    if (found === -1 || found + part.length > end) return false
    at = found + part.length
  }
  return true
}

function toLowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
