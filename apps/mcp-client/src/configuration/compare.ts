import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { compareText } from '@iii/protocol'
import type { ServerConfig } from './server-config.ts'

/** What a new entry of a server asks for. */
export type ConfigChange = 'same' | 'in_place' | 'restart'

/** Whether a running server can go on under a new entry: what its process was started with decides. */
export function compareConfigs(before: ServerConfig, after: ServerConfig): ConfigChange {
  if (isDeepStrictEqual(before, after)) return 'same'
  return isDeepStrictEqual(toProcess(before), toProcess(after)) ? 'in_place' : 'restart'
}

function toProcess({ name, command, args, cwd, environment, isTrusted, isDisabled }: ServerConfig) {
  return { name, command, args, cwd, environment, isTrusted, isDisabled }
}

/** SHA-256 in hex of what is run: command, arguments, folder, and where its variables come from. Another one is another server, whose tools nobody has approved. */
export function toCommandHash({ command, args, cwd, environment }: ServerConfig): string {
  const set = [...environment.set]
    .map(([name, source]) => [name, source.kind, Object.values(source)[1]] as const)
    .sort(([a], [b]) => compareText(a, b))
  const text = JSON.stringify([command, args, cwd, [...environment.inherit].sort(), set])
  return createHash('sha256').update(text).digest('hex')
}
