import { lstatSync } from 'node:fs'
import { compareText } from '@iii/protocol'
import { parseJsonText, readRegularFile } from '@iii/sdk'
import { z } from 'zod'
import { type Pin, type ServerPins, toSmallPin } from './pin.ts'

/** What is pinned, by the names of the servers. */
export type Pinned = ReadonlyMap<string, ServerPins>

/** What the path holds. A problem goes on after `the file`. */
export type LockText = { readonly text: string } | { readonly problem: string } | 'missing'
export type LockReading = { readonly pinned: Pinned } | { readonly problem: string }

/** Beyond the first, definitions are left out; beyond the second, nothing is written or read. */
const MAX_FULL_LENGTH = 4 * 1024 * 1024
const MAX_BYTES = 16 * 1024 * 1024

const sha256 = z.string().regex(/^[0-9a-f]{64}$/)
const pin = z.strictObject({
  name: z.string().min(1),
  hash: sha256,
  command: sha256,
  approved: z.string(),
  definition: z.record(z.string(), z.unknown()).optional(),
  parts: z.record(z.string(), z.string()).optional(),
})
const file = z.strictObject({
  version: z.literal(1),
  servers: z.record(z.string(), z.strictObject({ tools: z.array(pin) })),
})

/** Differs when the file does: it is large, and looked at for every list of tools. Never throws. */
export function markLockFile(path: string): string {
  try {
    const { mtimeNs, ctimeNs, size, ino, mode } = lstatSync(path, { bigint: true })
    return [mtimeNs, ctimeNs, size, ino, mode].join(' ')
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown'
  }
}

/** Never throws. Somebody else's link is not followed, and what others may write approves nothing. */
export function readLockText(path: string, platform: NodeJS.Platform): LockText {
  try {
    const content = readRegularFile(path, { maxBytes: MAX_BYTES, followsLink: platform === 'win32' })
    if (content.problem !== undefined) return { problem: content.problem }
    if (platform !== 'win32' && (content.mode & 0o022) !== 0) {
      return { problem: `may be written by others than its owner (mode ${content.mode.toString(8)}): chmod 600 it` }
    }
    return { text: content.bytes.toString('utf8') }
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return 'missing'
    return { problem: code === 'ELOOP' ? 'is a symbolic link, which is not followed' : `cannot be read: ${code}` }
  }
}

export function readLockFile(text: string): LockReading {
  const { data } = file.safeParse(parseJsonText(text))
  if (data === undefined)
    return {
      problem: 'is malformed: restore it, or remove it and start the worker anew to approve what the servers have then',
    }
  const pinned = new Map<string, ServerPins>()
  for (const [server, { tools }] of Object.entries(data.servers)) {
    const byName = new Map<string, Pin>(tools.map((one) => [one.name, one]))
    if (byName.size < tools.length) return { problem: `has a tool of ${server} twice` }
    pinned.set(server, byName)
  }
  return { pinned }
}

/**
 * Sorted, so that versions of the file can be compared.
 *
 * @returns undefined for more than a file may hold
 */
export function formatLockFile(pinned: Pinned): string | undefined {
  const full = write(pinned, (one) => one)
  if (full.length <= MAX_FULL_LENGTH) return full
  const small = write(pinned, toSmallPin)
  return Buffer.byteLength(small) <= MAX_BYTES ? small : undefined
}

function write(pinned: Pinned, toWritten: (pin: Pin) => Pin): string {
  const servers = [...pinned]
    .sort(([a], [b]) => compareText(a, b))
    .map(([server, tools]) => {
      const sorted = [...tools].sort(([a], [b]) => compareText(a, b)).map(([, one]) => toWritten(one))
      return [server, { tools: sorted }] as const
    })
  return `${JSON.stringify({ version: 1, servers: Object.fromEntries(servers) }, null, 2)}\n`
}
