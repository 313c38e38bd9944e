import { setTimeout as pause } from 'node:timers/promises'
import { startChild } from '../../child.ts'
import { requireMember, type SoakFault } from '../fault.ts'

const TOGETHER_MS = 8_000

/** A second process of a worker comes, the first one is killed and comes again, and the second one leaves. */
export function createTwin(which: 'bridge' | 'skills'): SoakFault {
  const name = which === 'bridge' ? 'mcp' : which
  return {
    name: `a twin of ${name}, that is left alone and leaves`,
    async strike({ stage }) {
      const twin = startChild({ ...stage.programs[which](), name: `second ${name}` })
      try {
        await twin.line(/stands by|"msg":"ready"/)
        await pause(TOGETHER_MS)
        await requireMember(stage, name).kill()
        await pause(TOGETHER_MS)
        await requireMember(stage, name).start()
        await pause(TOGETHER_MS)
      } finally {
        await twin.stop(30_000)
      }
    },
  }
}
