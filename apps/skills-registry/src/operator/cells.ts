/**
 * @example
 * formatBytes(2150) // '2.1 KiB'
 */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`
  const kib = bytes / 1024
  return kib < 1024 ? `${kib.toFixed(1)} KiB` : `${(kib / 1024).toFixed(1)} MiB`
}

/**
 * A time of the registry, to the minute; what is no RFC 3339 stays as it is.
 *
 * @example
 * formatTime('2026-11-21T09:30:12.345Z') // '2026-11-21 09:30'
 */
export function formatTime(time: string): string {
  const match = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)/.exec(time)
  return match ? `${match[1]} ${match[2]}` : time
}
