/** How many files there are of each package: `{ 'apps/mcp-bridge': 30 }`. */
export function countWay(files: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const file of files) {
    const folder = file.split('/').slice(0, 2).join('/')
    counts[folder] = (counts[folder] ?? 0) + 1
  }
  return counts
}
