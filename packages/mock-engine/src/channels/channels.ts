import { randomUUID } from 'node:crypto'
import type { Defects } from '../bus/defects.ts'
import { objectText, quote } from '../json/build.ts'
import type { JsonText } from '../json/json-text.ts'
import { createPipe, type Pipe } from './pipe.ts'

export type ChannelSide = 'read' | 'write'

/** A one-way stream between two sockets, or between a socket and the HTTP port. */
export interface Channel {
  readonly id: string
  readonly key: string
  readonly pipe: Pipe
  /** Nothing is read from its read side. */
  readonly deafReader: boolean
  /** Takes a side; each can be taken once. */
  claim(side: ChannelSide): boolean
}

/** The channels whose sockets may still connect. */
export interface Channels {
  create(bufferSize?: number): Channel
  /** @returns `undefined` when there is no such channel or the key is wrong. */
  find(id: string, key: string): Channel | undefined
  /** Forgets a channel: later sockets are refused, present ones go on. */
  drop(channel: Channel): void
  close(): void
}

const DEFAULT_BUFFER = 64
const MAX_BUFFER = 1024
const SWEEP_MS = 60_000
/** A channel that nobody or only one side connected to goes after this long. */
const TTL_MS = 300_000

export function createChannels({ deafReader }: Pick<Defects, 'deafReader'>): Channels {
  const channels = new Map<string, { channel: Channel; born: number; claimed: Set<ChannelSide> }>()
  const timer = setInterval(() => {
    for (const [id, { born, claimed }] of channels) {
      if (claimed.size < 2 && Date.now() - born > TTL_MS) channels.delete(id)
    }
  }, SWEEP_MS).unref()
  return {
    create(bufferSize = DEFAULT_BUFFER) {
      const claimed = new Set<ChannelSide>()
      const channel: Channel = {
        id: randomUUID(),
        key: randomUUID(),
        deafReader,
        pipe: createPipe(Math.min(Math.max(bufferSize, 1), MAX_BUFFER)),
        claim: (side) => claimed.size < claimed.add(side).size,
      }
      channels.set(channel.id, { channel, born: Date.now(), claimed })
      return channel
    },
    find(id, key) {
      const channel = channels.get(id)?.channel
      return channel?.key === key ? channel : undefined
    },
    drop: (channel) => void channels.delete(channel.id),
    close: () => clearInterval(timer),
  }
}

/** A channel's side as it is handed to workers. */
export function channelRef(channel: Channel, side: ChannelSide): JsonText {
  return objectText({ channel_id: quote(channel.id), access_key: quote(channel.key), direction: quote(side) })
}
