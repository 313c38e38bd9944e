import { createHash } from 'node:crypto'
import { agentSkillsFunctions, type RegisterSkillInput, type SkillFile, skillsFunctions } from '@iii/protocol'

/** So much goes into one message, in bytes of JSON: the engine takes twice as much, and what waits for it to be read counts too. */
const WHOLE_BYTES = 8 * 1_048_576
/** Of what does not, so much goes ahead in each; at the least one file. */
const PART_BYTES = 4 * 1_048_576

/** Calls that register a skill, one after the other: the last is the registration, and what does not fit into one message with it goes ahead. */
export interface SkillRegistration {
  readonly ahead: readonly { readonly id: string; readonly files: SkillFile[] }[]
  readonly skill: RegisterSkillInput
}

/** The functions that a {@link SkillRegistration} is for. */
export const REGISTRATION = { ahead: agentSkillsFunctions.stage, skill: skillsFunctions.register } as const

/** Divides the registration of a skill into messages that the engine takes. One that fits into a message is as it was. */
export function toSkillRegistration(input: RegisterSkillInput): SkillRegistration {
  const { id, files = [] } = input
  const sizes = files.map(sizeOf)
  if (sizes.reduce((sum, size) => sum + size, 0) <= WHOLE_BYTES) return { ahead: [], skill: input }
  const parts: SkillFile[][] = []
  let room = 0
  files.forEach((file, at) => {
    const size = sizes[at] ?? 0
    if (size > room || parts.length === 0) {
      parts.push([])
      room = PART_BYTES
    }
    parts.at(-1)?.push(file)
    room -= size
  })
  const skill = {
    ...input,
    files: files.map(({ path, mimeType, ...file }) => ({ path, mimeType, sha256: toHash(file) })),
  }
  return { ahead: parts.map((part) => ({ id, files: part })), skill }
}

/** Of base64 no character is escaped. */
function sizeOf({ path, text, base64 = '' }: SkillFile): number {
  return path.length + (text === undefined ? base64.length : Buffer.byteLength(JSON.stringify(text)))
}

function toHash({ text, base64 = '', sha256 }: Pick<SkillFile, 'text' | 'base64' | 'sha256'>): string {
  if (sha256 !== undefined) return sha256
  return createHash('sha256')
    .update(text === undefined ? Buffer.from(base64, 'base64') : text)
    .digest('hex')
}
