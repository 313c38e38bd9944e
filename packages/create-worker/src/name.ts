import { checkSkillId, isInternalId } from '@iii/protocol'

const MAX_LENGTH = 40

/** npm installs no package into one of the same name. */
const OF_PACKAGES = ['esbuild', 'tsx', 'typescript', 'vitest', 'zod']
/** In the manifest of a worker they are no text, and npm has a folder that is called so. */
const TAKEN_OTHERWISE = ['true', 'false', 'null', 'node_modules']

/**
 * What is wrong with the name of a worker, which is also that of its package, of its skill, and the beginning of its function ids.
 *
 * @returns undefined when nothing is
 */
export function explainName(name: string): string | undefined {
  const tooLong = name.length > MAX_LENGTH ? `it has ${name.length} characters, and may have ${MAX_LENGTH}` : undefined
  if (!/^[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*$/.test(name)) {
    return 'it has to be lower-case letters and digits, with a letter first and single hyphens or underscores between words'
  }
  if (isInternalId(`${name}::greet`)) return 'it belongs to the engine: functions below it are hidden from agents'
  if (OF_PACKAGES.includes(name)) return `it is that of a package that the project needs`
  if (TAKEN_OTHERWISE.includes(name)) return 'it means something else to YAML or npm'
  return tooLong ?? checkSkillId(name)
}
