import { DEFAULT_NAMESPACE, readInstance } from '@iii/protocol'
import { z } from 'zod'
import type { AskEngine } from '../engine/call.ts'

const Rows = z.object({
  functions: z.array(z.object({ metadata: z.unknown().optional(), namespace: z.string().optional() })),
})

/** `mcp-5b1c9a70`, but not `host:4711-5b1c9a70`, which nobody chose. */
const SUFFIXED = /^(?<plain>.+)-(?<start>[0-9a-f]{8})$/s
const UNCHOSEN = /:\d+$/

/**
 * The name that a worker asked the engine for and goes by one of its own instead, because another process of it has that name. The
 * characters behind it have to be those of its nonce, which the engine shows with its functions: a name alone proves nothing. What it says
 * of itself it can invent all the same, as any worker can take a name that is free.
 *
 * @returns undefined for any other name, and for a worker without functions
 * @throws InvocationError when the engine does not answer
 */
export async function findPlainName(
  ask: AskEngine,
  { name, namespace = DEFAULT_NAMESPACE }: { name: string; namespace?: string | undefined },
): Promise<string | undefined> {
  const { plain, start } = SUFFIXED.exec(name)?.groups ?? {}
  if (plain === undefined || start === undefined || UNCHOSEN.test(plain)) return undefined
  const answer = await ask('engine::functions::list', { worker: name, include_internal: true })
  const own = Rows.parse(answer).functions.filter(({ namespace: where }) => where === namespace)
  return own.some(({ metadata }) => readInstance(metadata)?.startsWith(start)) ? plain : undefined
}
