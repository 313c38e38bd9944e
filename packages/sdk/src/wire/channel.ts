import { Fault, isRecord } from '@iii/protocol'
import { toKind } from '../suggestions/mistyped.ts'
import { type ChannelReader, createChannelReader } from './channel-reader.ts'
import { type ChannelWriter, createChannelWriter } from './channel-writer.ts'

export type { ChannelReader } from './channel-reader.ts'
export type { ChannelWriter } from './channel-writer.ts'

/** One end of a channel, as it travels in payloads. Whoever knows the key may use it. */
export interface ChannelRef {
  channel_id: string
  access_key: string
  direction: 'read' | 'write'
}

/** A one-way pipe through the engine. Hand one ref to somebody else, use the other end yourself. */
export interface Channel {
  writer: ChannelWriter
  reader: ChannelReader
  writerRef: ChannelRef
  readerRef: ChannelRef
}

/** Connects the writing end at once; what is written before that is done waits. */
export function openWriter(engineUrl: string, ref: ChannelRef): ChannelWriter {
  return createChannelWriter(toChannelUrl(engineUrl, ref, 'write'))
}

/** Opens the reading end, which connects with the first read. */
export function openReader(engineUrl: string, ref: ChannelRef): ChannelReader {
  return createChannelReader(toChannelUrl(engineUrl, ref, 'read'))
}

/** @throws Fault `invalid_input` for what is no ref of this end. */
function toChannelUrl(engineUrl: string, ref: ChannelRef, dir: ChannelRef['direction']): string {
  requireRef(ref, dir)
  const url = new URL(engineUrl)
  url.pathname = `${url.pathname.replace(/\/$/, '')}/ws/channels/${encodeURIComponent(ref.channel_id)}`
  url.search = new URLSearchParams({ key: ref.access_key, dir }).toString()
  return url.href
}

/** A call that came over no route has no ref, and a request has two of them. */
function requireRef(ref: unknown, dir: ChannelRef['direction']): void {
  const isRef = isRecord(ref) && typeof ref['channel_id'] === 'string' && typeof ref['access_key'] === 'string'
  if (isRef && (ref['direction'] ?? dir) === dir) return
  const [opener, right] = OPENERS[dir]
  const given = isRef ? 'a ref of the other end' : toKind(ref)
  throw new Fault('invalid_input', `${opener} takes the ref of a channel, such as ${right}, not ${given}`)
}

const OPENERS = {
  read: ['openChannelReader', 'request_body of an HTTP request'],
  write: ['openChannelWriter', 'response of an HTTP request'],
} as const
