import { writeFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { requireMember, type SoakFault } from '../fault.ts'
import { GOOD_CONFIGURATION } from '../stage.ts'

const MALFORMED = 'no_builtins: [true\nauth: {'
const STAYS_MS = 8_000

/** Somebody saves a file that is no YAML, the bridge is started with it, and it is put right. */
export const malformedConfiguration: SoakFault = {
  name: 'malformed configuration of mcp, live and at its start',
  async strike({ stage }) {
    const bridge = requireMember(stage, 'mcp')
    await writeFile(stage.files.bridge, MALFORMED)
    await pause(STAYS_MS)
    await bridge.kill()
    const starting = bridge.start()
    await pause(STAYS_MS)
    await writeFile(stage.files.bridge, GOOD_CONFIGURATION)
    await starting
  },
}
