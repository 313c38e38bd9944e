/** A process for tests that has few files left to open, and starts a group: `sh -c 'ulimit -n 64; exec node without-files.ts'`. Writes what came of it. */
import { closeSync, openSync } from 'node:fs'
import process from 'node:process'
import { startProcessGroup } from '../process-group/index.ts'

const opened: number[] = []
try {
  for (;;) opened.push(openSync('/dev/null', 'r'))
} catch {
  for (const file of opened.splice(0, 4)) closeSync(file)
}
try {
  startProcessGroup({ command: 'true', cwd: '/', env: {} })
} catch (error) {
  setImmediate(() => process.stdout.write(`${(error as Error).message}\n`))
}
