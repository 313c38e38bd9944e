/** A process for tests that owns a group until it is killed: `node group-owner.ts '{"command":…}'`. Writes what the program writes. */
import process from 'node:process'
import { type ProgramOptions, startProcessGroup } from '../process-group/index.ts'

const group = startProcessGroup(JSON.parse(process.argv[2] ?? '{}') as ProgramOptions)
process.stdout.write(`${group.pid}\n`)
group.stdout.pipe(process.stdout)
