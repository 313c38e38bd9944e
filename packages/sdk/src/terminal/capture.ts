import type { Stream } from './screen.ts'

/** A stream that keeps what is written, for tests of commands. @param columns makes it a terminal */
export function createCapture(columns?: number): Stream & { text(): string } {
  const chunks: Buffer[] = []
  return {
    write: (chunk) => chunks.push(Buffer.from(chunk)),
    isTTY: columns !== undefined,
    columns,
    text: () => Buffer.concat(chunks).toString(),
  }
}
