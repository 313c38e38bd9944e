import type { EngineAddress } from './chosen-engine.ts'
import { connectToEngine, hasFunctions, listTriggerTypes } from './facts.ts'
import { UsageError } from './usage.ts'

const ANSWER_MS = 5000
/** There as long as a run has the engine; two at once would clear away each other's rows. */
const RESERVED = 'e2e::reserved'

/**
 * Takes a running engine for this run alone.
 *
 * @param needed workers of an engine, by a trigger type that each brings along
 * @throws UsageError when it cannot be had, or lacks one of them.
 */
export async function reserveEngine(
  address: EngineAddress,
  needed: Readonly<Record<string, string>> = {},
): Promise<AsyncDisposable> {
  const control = connectToEngine(address.url, 'e2e')
  try {
    await control.ready({ timeoutMs: ANSWER_MS }).catch(() => refuse(`No engine answers at ${address.url}.`))
    if (await hasFunctions(control, [RESERVED])) refuse(`Another run of these suites is on ${address.url}.`)
    const types = await listTriggerTypes(control)
    const lacks = Object.keys(needed).filter((type) => !types.has(type))
    if (lacks.length > 0)
      refuse(
        `The engine at ${address.url} has to have ${lacks.map((type) => needed[type]).join(', ')} in its config.yaml.`,
      )
    control.registerFunction(RESERVED, () => null, { metadata: { internal: true } })
    await fetch(address.httpUrl, { signal: AbortSignal.timeout(ANSWER_MS) }).catch(() =>
      refuse(`Nothing answers HTTP at ${address.httpUrl}.`),
    )
  } catch (error) {
    await control.shutdown()
    throw error
  }
  return { [Symbol.asyncDispose]: () => control.shutdown() }
}

function refuse(message: string): never {
  throw new UsageError(message)
}
