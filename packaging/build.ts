/** `pnpm build` of an app, in its folder: its program as one file, and the npm package around it. */
import { relative, resolve } from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { buildPackage } from './npm-package.ts'
import { readWorkers } from './workers.ts'

/** As `publishConfig.directory` says. */
const OUT = 'dist'

const { values } = parseArgs({ options: { out: { type: 'string' } } })
const worker = readWorkers().find(({ folder }) => relative(folder, process.cwd()) === '')
if (worker === undefined) throw new Error(`${process.cwd()} is no app`)
await buildPackage(worker, resolve(values.out ?? OUT))
