/**
 * JSON as it is shown: a line for each value, or as it came where that would be more than other white space, such as numbers with fewer digits.
 *
 * @returns undefined for what is no object and no list
 */
export function formatJson(text: string): string | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return withoutSpace(JSON.stringify(value)) === withoutSpace(text) ? JSON.stringify(value, null, 2) : text
  } catch {
    return undefined
  }
}

/** That within texts is the same in both. */
function withoutSpace(json: string): string {
  return json.replace(/\s+/g, '')
}
