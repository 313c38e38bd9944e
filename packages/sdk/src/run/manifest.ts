import type { AnyOptionTable } from './option-table.ts'

/** The platforms that the worker registry knows; a script in an archive runs on each of them that has Node. */
const TARGETS = [
  'aarch64-apple-darwin',
  'x86_64-apple-darwin',
  'aarch64-unknown-linux-gnu',
  'armv7-unknown-linux-gnueabihf',
  'x86_64-unknown-linux-gnu',
  'aarch64-pc-windows-msvc',
  'x86_64-pc-windows-msvc',
]

/** What `--manifest` prints: who the worker is, its default configuration, and where it runs. */
export function toManifest(
  app: { name: string; version: string; description: string },
  table: AnyOptionTable,
): Record<string, unknown> {
  return {
    name: app.name,
    version: app.version,
    description: app.description,
    default_config: toDefaultConfig(table),
    supported_targets: TARGETS,
  }
}

function toDefaultConfig(table: AnyOptionTable): Record<string, unknown> {
  const config: Record<string, unknown> = {}
  for (const { yaml, default: value } of Object.values(table)) {
    if (yaml === undefined || value === undefined) continue
    const keys = yaml.split('.')
    const last = keys.pop() ?? ''
    let place = config
    for (const key of keys) {
      place[key] ??= {}
      place = place[key] as Record<string, unknown>
    }
    place[last] = value
  }
  return config
}
