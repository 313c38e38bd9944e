import { cutUtf8, isRecord, toVisible } from '@iii/protocol'

/** What a server says of itself; for people alone. */
export interface ServerInfo {
  readonly name: string
  readonly version: string
  readonly protocolVersion: string
  readonly capabilities: readonly string[]
  readonly instructions: string | undefined
}

const MAX_NAME_BYTES = 256
const MAX_INSTRUCTIONS_BYTES = 16 * 1024
const MAX_CAPABILITIES = 32

/** @param result what it answered to `initialize` */
export function toServerInfo(result: unknown, clean: (text: string) => string): ServerInfo {
  const { serverInfo, capabilities, protocolVersion, instructions } = isRecord(result) ? result : {}
  const { name, version } = isRecord(serverInfo) ? serverInfo : {}
  const short = (text: unknown) => cut(clean(String(text ?? '')), MAX_NAME_BYTES)
  return {
    name: short(name),
    version: short(version),
    protocolVersion: short(protocolVersion),
    capabilities: isRecord(capabilities) ? Object.keys(capabilities).slice(0, MAX_CAPABILITIES).map(short) : [],
    instructions: typeof instructions === 'string' ? cut(clean(instructions), MAX_INSTRUCTIONS_BYTES) : undefined,
  }
}

function cut(text: string, maxBytes: number): string {
  return cutUtf8(toVisible(text), maxBytes)
}
