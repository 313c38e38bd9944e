/** The name that Agent Skills have for the last segment of an id: there is no `_` in them. */
export function toAgentName(segment: string): string {
  return segment.replaceAll('_', '-')
}

/** The last segment of an id or path. */
export function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/**
 * Checks a name by the rules of Agent Skills: 1 to 64 of `a-z`, `0-9` and `-`, no `-` at the ends and no two in a row.
 *
 * @returns what is wrong and what would be right, or undefined.
 */
export function checkAgentName(name: string): string | undefined {
  if (/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name) && name.length <= 64) return undefined
  return `"${name}" is no name that Agent Skills may have: 1 to 64 of a-z, 0-9 and '-', none at the ends and no two in a row`
}

/** The name that Agent Skills may have and that is nearest to a segment of an id; undefined when nothing of it is left. */
export function toNearestName(segment: string): string | undefined {
  const name = segment
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, 64)
    .replace(/-$/, '')
  return name === '' ? undefined : name
}
