import type { Admission } from '../auth/admission.ts'
import type { Authentication } from '../auth/authentication.ts'
import type { Principal } from '../auth/principal.ts'
import { RPC, RpcError } from './rpc.ts'

/**
 * Where a refusal has no status of its own. Counts the request.
 *
 * @throws RpcError for whoever is not let in, or has used up its limit
 */
export function requireTurn(auth: Pick<Authentication, 'countRequest'>, admission: Admission): Principal {
  const principal = requirePrincipal(admission)
  const seconds = auth.countRequest(principal)
  if (seconds === undefined) return principal
  const problem = `Too many requests: this caller has used up its limit; try again in ${seconds} s`
  throw new RpcError(RPC.overloaded, problem, { retry_after_seconds: seconds })
}

function requirePrincipal(admission: Admission): Principal {
  if (admission.kind === 'principal') return admission.principal
  const { status, text, retryAfterSeconds } = admission
  if (status !== 429) throw new RpcError(RPC.unauthorized, text)
  throw new RpcError(RPC.overloaded, text, { retry_after_seconds: retryAfterSeconds ?? 1 })
}
