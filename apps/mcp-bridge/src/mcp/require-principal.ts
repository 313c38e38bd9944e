import type { Admission } from '../auth/admission.ts'
import type { Principal } from '../auth/principal.ts'
import { RPC, RpcError } from './rpc.ts'

/** Where a refusal has no status of its own. @throws RpcError for whoever is not let in */
export function requirePrincipal(admission: Admission): Principal {
  if (admission.kind === 'principal') return admission.principal
  const { status, text, retryAfterSeconds } = admission
  if (status !== 429) throw new RpcError(RPC.unauthorized, text)
  throw new RpcError(RPC.overloaded, text, { retry_after_seconds: retryAfterSeconds ?? 1 })
}
