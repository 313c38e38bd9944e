import { answersToGrant } from '../auth/decision.ts'
import type { Principal } from '../auth/principal.ts'
import { toViewKey } from '../auth/view.ts'

/** For whom something is looked at. */
export interface Viewer {
  readonly principal: Principal
  /** Has the client started this process? It may be shown more tools. */
  readonly attached: boolean
}

/** Who is held to a grant is told of nothing that it does not name. */
export function isHeld({ principal }: Viewer): boolean {
  return answersToGrant(principal)
}

/** Two with the same key see the same. */
export function toViewerKey(viewer: Viewer): string {
  const key = toViewKey(viewer.principal)
  return viewer.attached ? `attached ${key}` : key
}
