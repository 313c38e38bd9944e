import { toNested } from '../options/nested.ts'
import type { AnyOptionTable } from '../options/option-table.ts'

/** The platforms that the worker registry knows; a script in an archive runs on each of them that has Node. */
const TARGETS = [
  'aarch64-apple-darwin',
  'x86_64-apple-darwin',
  'aarch64-unknown-linux-gnu',
  'armv7-unknown-linux-gnueabihf',
  'x86_64-unknown-linux-gnu',
  'aarch64-pc-windows-msvc',
  'i686-pc-windows-msvc',
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
  return toNested(
    Object.values(table).flatMap(({ yaml, default: value }) =>
      yaml === undefined || value === undefined ? [] : [[yaml, value] as const],
    ),
  )
}
