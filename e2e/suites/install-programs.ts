import { accessSync, constants } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'

/** The engine and its command line, by absolute paths. */
export interface Programs {
  iii: string
  iiiWorker: string
}

const USAGE = 'Usage: pnpm test:install --iii PATH --iii-worker PATH'

/** Reads the words of the command line. @returns what is wrong with them, or the programs */
export function readPrograms(words: readonly string[]): Programs | string {
  try {
    const options = { iii: { type: 'string' }, 'iii-worker': { type: 'string' } } as const
    const { values } = parseArgs({ args: [...words], options })
    if (values.iii === undefined || values['iii-worker'] === undefined) return USAGE
    const programs = { iii: resolve(values.iii), iiiWorker: resolve(values['iii-worker']) }
    for (const path of Object.values(programs)) accessSync(path, constants.X_OK)
    return programs
  } catch (error) {
    return `${error instanceof Error ? error.message : String(error)}\n${USAGE}`
  }
}
