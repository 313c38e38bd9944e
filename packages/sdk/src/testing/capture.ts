import type { Stream } from '../commands/screen.ts'

/** A stream that keeps what is written. @param columns makes it a terminal */
export function createCapture(columns?: number): Stream & { text(): string } {
  const chunks: Buffer[] = []
  return {
    write: (chunk) => chunks.push(Buffer.from(chunk)),
    isTTY: columns !== undefined,
    columns,
    text: () => Buffer.concat(chunks).toString(),
  }
}
