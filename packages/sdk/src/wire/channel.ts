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

function toChannelUrl(engineUrl: string, ref: ChannelRef, dir: ChannelRef['direction']): string {
  const url = new URL(engineUrl)
  url.pathname = `${url.pathname.replace(/\/$/, '')}/ws/channels/${encodeURIComponent(ref.channel_id)}`
  url.search = new URLSearchParams({ key: ref.access_key, dir }).toString()
  return url.href
}
