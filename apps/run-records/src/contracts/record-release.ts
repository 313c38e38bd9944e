/** A part of `pnpm release:version`: what is promised from now on. */
import { writeFileSync } from 'node:fs'
import { describePromise, RELEASED } from './released.ts'

writeFileSync(RELEASED, describePromise().line)
