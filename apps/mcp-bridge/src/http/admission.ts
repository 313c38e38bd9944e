import type { AuthRefusal } from '../auth/admission.ts'
import type { Authentication } from '../auth/authentication.ts'
import type { Principal } from '../auth/principal.ts'
import { RPC, RpcError } from '../mcp/rpc.ts'
import type { HttpReply, ReplyWriter } from './reply.ts'
import { type IncomingRequest, idOf } from './request.ts'

/** Whose a request is, or what it is answered unread. */
export type HttpAdmission =
  | { readonly principal: Principal; readonly refusal?: undefined }
  | { readonly refusal: HttpReply }

/** Finds out whose a request is, by its head alone, and counts it: no body is read for a stranger, and no session looked up. */
export async function admitRequest(
  auth: Authentication,
  request: IncomingRequest,
  write: ReplyWriter,
): Promise<HttpAdmission> {
  const { headers, queryNames } = request
  const admission = await auth.admit({ authorization: headers['authorization'], queryNames })
  if (admission.kind === 'refused') return { refusal: toRefusalReply(admission, write) }
  const { principal } = admission
  const seconds = auth.countRequest(principal)
  if (seconds === undefined) return { principal }
  const error = toOverloaded('Too many requests: this caller has used up its limit', seconds)
  return { refusal: write.error(429, idOf(request), error) }
}

function toRefusalReply({ status, text, challenge, retryAfterSeconds }: AuthRefusal, write: ReplyWriter): HttpReply {
  if (status === 429 || status === 503) return write.error(status, null, toOverloaded(text, retryAfterSeconds))
  const headers = challenge === undefined ? undefined : { 'www-authenticate': challenge }
  return write.error(status, null, new RpcError(RPC.unauthorized, text), headers)
}

function toOverloaded(text: string, seconds = 1): RpcError {
  return new RpcError(RPC.overloaded, `${text}; try again in ${seconds} s`, { retry_after_seconds: seconds })
}
