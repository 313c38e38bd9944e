import { setTimeout as pause } from 'node:timers/promises'
import { requireMember, type SoakFault } from '../fault.ts'

/** A process that does nothing for a while, and goes on as if nothing had been: SIGSTOP, as on a machine that swaps or is moved. */
export function createFreeze(member: string, seconds: number): SoakFault {
  return {
    name: `${member} frozen for ${seconds} s`,
    async strike({ stage }) {
      const struck = requireMember(stage, member)
      struck.signal('SIGSTOP')
      try {
        await pause(seconds * 1000)
      } finally {
        struck.signal('SIGCONT')
      }
    },
  }
}
