import { setTimeout as pause } from 'node:timers/promises'
import { requireMember, type SoakFault } from '../fault.ts'

/** How long a supervisor takes. */
const RESTART_MS = 500

/** `kill -9`, and a supervisor that starts it anew. */
export function createKill(member: string): SoakFault {
  return {
    name: `kill -9 of ${member}`,
    lacks: ({ members }) => (members.has(member) ? undefined : 'it could not be started'),
    async strike({ stage }) {
      const struck = requireMember(stage, member)
      await struck.kill()
      await pause(RESTART_MS)
      await struck.start()
    },
  }
}
