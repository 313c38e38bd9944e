import { explainDeath } from '../child.ts'
import type { CrewEnding } from './crew.ts'

/** What the embedded engine says on stderr: its name, for warnings and errors their level, and the text. */
const VOICE = /^iii-mock-engine: (?:(?:warn|error): )?(.*)$/

/** Why everything ends when one part has. An engine that says itself what is wrong is quoted. */
export function explainLoss({ child, exit }: CrewEnding): string {
  const said = exit.code === 1 ? readLastWords(child.stderr) : undefined
  return child.name === 'engine' && said !== undefined
    ? `The engine ended: ${toStartFlag(said)}`
    : explainDeath(child, exit)
}

/** The engine advises flags of its own. */
function toStartFlag(said: string): string {
  return said.replace(/ with --port$/, ' with --engine-port')
}

/** What became of the data when the engine was told to stop; undefined when it is all in `dataDir`. */
export function explainLastWrite({ child, exit }: CrewEnding, dataDir: string): string | undefined {
  // An engine that SIGTERM itself ends had nothing to write yet: it listens for it as soon as it is there.
  if (exit.code === 0 || exit.signal === 'SIGTERM') return undefined
  if (exit.signal === 'SIGKILL') return `The engine was ended while it wrote: what is not in ${dataDir} is lost.`
  return readLastWords(child.stderr) ?? explainDeath(child, exit)
}

function readLastWords(stderr: readonly string[]): string | undefined {
  return VOICE.exec(stderr.at(-1) ?? '')?.[1]
}
