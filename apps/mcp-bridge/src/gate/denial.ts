import type { FaultCode } from '@iii/protocol'
import type { Denial } from './contract.ts'
import { readKey } from './sight.ts'

/** What is said of a function that may not be used. */

export function toFaultCode({ reason }: Denial): FaultCode {
  return reason === 'unverified' ? 'unavailable' : 'forbidden'
}

export function unknown(key: string): Denial {
  const { namespace, id } = readKey(key)
  const where = namespace === undefined ? 'on the engine' : `in the namespace '${namespace}'`
  return { allowed: false, reason: 'unknown', message: `Function '${id}' is not registered ${where}` }
}

/** In the words for a function that nobody registered. */
export function conceal(key: string, why: NonNullable<Denial['why']>): Denial {
  return { ...unknown(key), why }
}

export function unnamed(what: string): Denial {
  const message = `The registry does not say which function is behind ${what} (it has no prompts::list), so whether this server shows it is not known; whoever runs it can update the skills worker`
  return { allowed: false, reason: 'unverified', message }
}

export function unverified(key: string): Denial {
  const { id } = readKey(key)
  const message = `Function '${id}' exposure could not be verified (the engine did not answer); the call was not made`
  return { allowed: false, reason: 'unverified', message }
}
