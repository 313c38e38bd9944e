import { DEFAULT_NAMESPACE, Fault } from '@iii/protocol'
import { z } from 'zod'
import type { FunctionCaller } from './call.ts'

const USUAL = /^[a-z0-9_-]+$/
const OF_THE_ENGINE = /^(engine|state|stream|configuration|iii)::|^publish$/
const ASK_MS = 5_000
const Rows = z.object({ workers: z.array(z.object({ id: z.string().nullish(), namespace: z.string().optional() })) })

/**
 * What a frame says of a namespace: undefined where it says nothing, for `default`.
 *
 * @throws Fault `invalid_input` for one that is blank or no text
 */
export function toNamespace(value: unknown): string | undefined {
  if (value === undefined) return undefined
  if (typeof value !== 'string') throw new Fault('invalid_input', `A namespace is a text, for example 'orders'`)
  const namespace = value.trim()
  if (namespace === '') {
    throw new Fault(
      'invalid_input',
      `The namespace is blank: name one, for example 'orders', or leave it out for 'default'`,
    )
  }
  return namespace === DEFAULT_NAMESPACE ? undefined : namespace
}

/** Why a namespace may not be what others take; undefined for one that every tool takes. */
export function explainUnusual(namespace: string | undefined): string | undefined {
  if (namespace === undefined || USUAL.test(namespace)) return undefined
  return `the namespace '${namespace}' has more than small letters, digits, '-' and '_': the engine takes it, 'iii compose' does not`
}

/** Whether the engine has functions below this, which it offers itself. */
export function isOfEngine(functionId: string): boolean {
  return OF_THE_ENGINE.test(functionId)
}

/**
 * Where a call goes: to the namespace that it names, else the engine's functions are in `default` and all others in our own.
 *
 * @example
 * toCallNamespace('orders::count', undefined, 'shop') // 'shop'
 * toCallNamespace('state::get', undefined, 'shop') // undefined
 */
export function toCallNamespace(functionId: string, named: unknown, own: string | undefined): string | undefined {
  if (named !== undefined) return toNamespace(named)
  return isOfEngine(functionId) ? undefined : own
}

/**
 * Whether the engine keeps workers of several namespaces apart, as told by the row that it shows of this worker.
 *
 * @returns undefined when it does not show one
 */
export async function askNamespaces(
  worker: FunctionCaller & { readonly workerId: string | undefined },
): Promise<boolean | undefined> {
  const request = { function_id: 'engine::workers::list', payload: {}, timeoutMs: ASK_MS }
  const answer = Rows.safeParse(await worker.trigger(request).catch(() => undefined))
  const own = answer.data?.workers.find(({ id }) => id === worker.workerId)
  return own && own.namespace !== undefined
}
