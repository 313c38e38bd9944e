import type fc from 'fast-check'

/** One thing that is given inputs of which nobody has thought. */
export interface FuzzTarget<T = unknown> {
  readonly name: string
  readonly input: fc.Arbitrary<T>
  /** How many of them a round has. @default 50 */
  readonly values?: number
  /** How many inputs one value of `input` holds. @default 1 */
  count?(value: T): number
  /** @throws what is wrong with what came of it */
  run(value: T): Promise<void>
  /** A good request is served: asked after each batch. @throws when it is not */
  serves(): Promise<void>
}

/** What everybody answers within, whatever it was asked. */
const DEADLINE_MS = 10_000

/** @throws when it takes longer than anything may */
export async function inTime<T>(what: string, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} hangs: no answer within ${DEADLINE_MS} ms`)), DEADLINE_MS)
  })
  return await Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

const LEAK = /\n\s+at .+[(:]\d+|node_modules\/|file:\/\/\/|\/src\/[\w/-]+\.[cm]?[jt]s\b/

/** @throws where a text tells of our stack or files */
export function requireNoLeak(text: string): void {
  const found = LEAK.exec(text)?.[0] ?? (text.includes(process.cwd()) ? process.cwd() : undefined)
  if (found !== undefined)
    throw new Error(`tells strangers of our files: ${JSON.stringify(found)} in ${text.slice(0, 500)}`)
}

/** @throws for what is no JSON-RPC response */
export function requireRpc(value: unknown): void {
  const { jsonrpc, result, error } = Object(value) as {
    jsonrpc?: unknown
    result?: unknown
    error?: { code?: unknown; message?: unknown }
  }
  const isError = Number.isInteger(error?.code) && typeof error?.message === 'string' && error.message !== ''
  if (jsonrpc !== '2.0' || (result === undefined) !== isError) {
    throw new Error(`no JSON-RPC response: ${JSON.stringify(value)?.slice(0, 500)}`)
  }
}
