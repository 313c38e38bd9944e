import { Fault, isRecord } from '@iii/protocol'

/**
 * What a caller gives by names; undefined for nothing, which is also written as null.
 *
 * @param rule what is said where it is no object
 * @throws Fault `invalid_input`
 */
export function toNamedArguments(input: unknown, rule: string): Readonly<Record<string, unknown>> | undefined {
  if (input === undefined || input === null) return undefined
  if (isRecord(input)) return input
  throw new Fault('invalid_input', rule)
}
