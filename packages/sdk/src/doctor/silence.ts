import { InvocationError } from '../engine/invocation-error.ts'
import type { FunctionOwner } from '../ownership/find-owner.ts'
import { explainEnding } from '../ownership/standing-text.ts'
import { type Finding, problem } from './check.ts'
import { ASK_MS } from './context.ts'

/** Whether nothing came back at all: whoever was asked is connected, and does not answer. */
export function isSilence(error: unknown): boolean {
  return error instanceof InvocationError && error.code === 'TIMEOUT'
}

/** @param what it has, as in `serves /mcp` */
export function silence({ text, owner }: FunctionOwner, what: string): Finding {
  return problem(
    `${text} ${what}, is connected and has not answered within ${ASK_MS / 1000} s`,
    `${explainEnding(owner ?? {})}; where another one stands by it then serves, else start it again`,
  )
}
