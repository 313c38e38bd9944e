/** UTF-8 bytes of a message in pieces. Some of them are in other messages too, so nobody changes them. */
export interface MessagePieces {
  /** In bytes, of all together. */
  readonly length: number
  readonly pieces: readonly Buffer[]
}

/** A message as it goes out: its text, or its bytes. */
export type Outgoing = string | MessagePieces

export function toPieces(pieces: readonly Buffer[]): MessagePieces {
  return { length: pieces.reduce((sum, { length }) => sum + length, 0), pieces }
}

export function toMessageText(message: Outgoing): string {
  return typeof message === 'string' ? message : Buffer.concat(message.pieces).toString()
}
