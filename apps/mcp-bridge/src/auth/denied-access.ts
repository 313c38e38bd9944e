import type { Admission } from './admission.ts'
import type { Authentication } from './authentication.ts'
import type { Principal } from './principal.ts'

/** Somebody who was not let in, or not as often as they asked, or answered what another session was asked. */
export interface DeniedAccess {
  readonly decision: 'auth' | 'limit'
  /** A word of few, and never what a client has sent. */
  readonly reason: string
  /** Undefined where it is not known who it was. */
  readonly principal: Principal | undefined
}

export type RecordDenial = (denied: DeniedAccess) => void

/** The same, where each that is not let in is told of as well. */
export function tellDenials(auth: Authentication, denied: RecordDenial): Authentication {
  function tell(admission: Admission): Admission {
    if (admission.kind === 'refused') {
      const { status, reason } = admission
      denied({ decision: status === 429 ? 'limit' : 'auth', reason, principal: undefined })
    }
    return admission
  }
  return {
    ...auth,
    admit(head) {
      const admission = auth.admit(head)
      return 'then' in admission ? admission.then(tell) : tell(admission)
    },
    admitAttached: () => tell(auth.admitAttached()),
    admitBus: () => tell(auth.admitBus()),
    countRequest(principal) {
      const seconds = auth.countRequest(principal)
      if (seconds !== undefined) denied({ decision: 'limit', reason: 'too-many-requests', principal })
      return seconds
    },
  }
}
