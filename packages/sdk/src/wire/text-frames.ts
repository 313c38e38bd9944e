import { randomFillSync } from 'node:crypto'
import type { Outgoing } from './outgoing.ts'

const TEXT = 0x81
const MASKED = 0x80
const LENGTH_16 = 126
const LENGTH_64 = 127
const MASK_BYTES = 4
const HEAD_BYTES = 2 + 8 + MASK_BYTES
/** Bytes that are ready are copied up to here; longer ones go as they are, unless they are masked. */
const COPIED_BYTES = 8 * 1024

/** Node writes a text of up to so many characters without a buffer on its heap. */
const MAX_WRITTEN_TEXT = 16 * 1024

/**
 * Messages as a client sends them (RFC 6455, section 5), each in one frame: in one text of Latin-1 where they are short and ASCII, else in
 * one buffer, but for long pieces that are bytes already.
 *
 * @param isMasked with masks that nobody can know; otherwise with masks of zeros
 */
export function toTextFrames(messages: readonly Outgoing[], isMasked: boolean): (Buffer | string)[] {
  const text = isMasked ? undefined : toLatin1Frames(messages)
  return text === undefined ? toByteFrames(messages, isMasked) : [text]
}

function toLatin1Frames(messages: readonly Outgoing[]): string | undefined {
  let frames = ''
  for (const message of messages) {
    const { length } = message
    const fits = typeof message === 'string' && frames.length + length <= MAX_WRITTEN_TEXT
    if (!fits || Buffer.byteLength(message) !== length) return undefined
    frames += toLatin1Head(length) + message
  }
  return frames
}

/** With a mask of zeros. */
function toLatin1Head(length: number): string {
  if (length < LENGTH_16) return String.fromCharCode(TEXT, MASKED | length, 0, 0, 0, 0)
  return String.fromCharCode(TEXT, MASKED | LENGTH_16, length >> 8, length & 0xff, 0, 0, 0, 0)
}

function toByteFrames(messages: readonly Outgoing[], isMasked: boolean): Buffer[] {
  const goesAsItIs = (piece: Buffer) => !isMasked && piece.length > COPIED_BYTES
  let size = 0
  for (const message of messages) size += HEAD_BYTES + toCopiedBytes(message, goesAsItIs)
  const bytes = Buffer.allocUnsafe(size)
  const parts: Buffer[] = []
  let [from, end] = [0, 0]

  function add(piece: Buffer): void {
    if (goesAsItIs(piece)) {
      parts.push(bytes.subarray(from, end), piece)
      from = end
    } else end += piece.copy(bytes, end)
  }

  for (const message of messages) {
    const length = lengthOf(message)
    const start = writeHead(bytes, end, length)
    end = start
    if (typeof message === 'string') end += writeText(bytes, end, message, length)
    else for (const piece of message.pieces) add(piece)
    if (isMasked) mask(bytes.subarray(start - MASK_BYTES, end))
  }
  if (end > from) parts.push(bytes.subarray(from, end))
  return parts
}

function lengthOf(message: Outgoing): number {
  return typeof message === 'string' ? Buffer.byteLength(message) : message.length
}

function toCopiedBytes(message: Outgoing, goesAsItIs: (piece: Buffer) => boolean): number {
  if (typeof message === 'string') return Buffer.byteLength(message)
  return message.pieces.reduce((sum, piece) => sum + (goesAsItIs(piece) ? 0 : piece.length), 0)
}

/** @returns where it ends, with a mask of zeros */
function writeHead(bytes: Buffer, at: number, length: number): number {
  bytes[at] = TEXT
  let end = at + 2
  if (length < LENGTH_16) bytes[at + 1] = MASKED | length
  else if (length <= 0xffff) {
    bytes[at + 1] = MASKED | LENGTH_16
    end = bytes.writeUInt16BE(length, end)
  } else {
    bytes[at + 1] = MASKED | LENGTH_64
    end = bytes.writeBigUInt64BE(BigInt(length), end)
  }
  return bytes.writeUInt32BE(0, end)
}

/** As many bytes as characters: all of them are ASCII, which takes no conversion. */
function writeText(bytes: Buffer, at: number, text: string, length: number): number {
  return bytes.write(text, at, length, length === text.length ? 'latin1' : 'utf8')
}

/** @param masked a place for the mask, and what it hides */
function mask(masked: Buffer): void {
  randomFillSync(masked, 0, MASK_BYTES)
  for (let at = MASK_BYTES; at < masked.length; at++) masked[at] = (masked[at] ?? 0) ^ (masked[at & 3] ?? 0)
}
