/** `pnpm build` of an app, or of `npm create iii-worker`, in its folder: its program as one file, and the npm package around it. */
import { relative, resolve } from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { buildGenerator, GENERATOR } from './generator.ts'
import { layOutPackage } from './npm-package.ts'
import { writeScript } from './script.ts'
import { readWorkers } from './workers.ts'

/** As `publishConfig.directory` says. */
const OUT = 'dist'

const { values } = parseArgs({ options: { out: { type: 'string' } } })
const out = resolve(values.out ?? OUT)
const isHere = (folder: string) => relative(folder, process.cwd()) === ''
const worker = readWorkers().find(({ folder }) => isHere(folder))
if (worker !== undefined) await layOutPackage(worker.folder, ['bin'], await writeScript(worker), out)
else if (isHere(GENERATOR)) await buildGenerator(out)
else throw new Error(`${process.cwd()} is no app`)
