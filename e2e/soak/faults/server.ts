import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'
import { isAlive } from '../../child.ts'
import { readJournal } from '../../mcp-servers/fixture.ts'
import type { SoakFault } from '../fault.ts'

const BETWEEN_MS = 1_000

/** The MCP servers that `mcp-client` runs are killed, one after the other. */
export const killServers: SoakFault = {
  name: 'kill -9 of the three MCP servers',
  async strike({ stage }) {
    const pids = readJournal(stage.files.folder).flatMap(({ what, pid }) => (what === 'start' ? [pid] : []))
    for (const pid of pids.filter(isAlive)) {
      process.kill(pid, 'SIGKILL')
      await pause(BETWEEN_MS)
    }
  },
}
