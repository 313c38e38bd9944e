import { Fault, type SkillFile } from '@iii/protocol'
import { toBytes, toContentHash } from './file-records.ts'

/** So long the files of a skill stay after the last of them has come. In milliseconds. */
const STAY_MS = 60_000
/** What the files of one worker, and of all, may take. */
const MAX_BYTES_EACH = 32 * 1_048_576
const MAX_BYTES = 128 * 1_048_576
/** What a file counts beside its bytes, and a skill beside its files. */
const FILE_BYTES = 1_024
const SKILL_BYTES = 16_384

/** A skill, and the worker that registers it. */
export interface Registrant {
  readonly owner: string
  readonly id: string
}

/**
 * Files that have come before the registration that names them, because not all fit into one message. They are in memory alone: nothing of
 * them is stored before the skill is whole.
 */
export interface Staging {
  /** @throws Fault `overloaded` where too much waits already */
  add(from: Registrant, files: readonly SkillFile[]): void
  /**
   * Puts what has come from the same worker, for the same skill, in the place of its SHA-256.
   *
   * @throws Fault `not_found` for a file that has not come, or too long ago
   */
  complete(from: Registrant, files: readonly SkillFile[]): SkillFile[]
  /** The skill is registered. */
  drop(from: Registrant): void
  close(): void
}

type Content = Pick<SkillFile, 'text' | 'base64'>

/** By SHA-256. */
type Contents = ReadonlyMap<string, { readonly content: Content; readonly bytes: number }>

interface Waiting {
  readonly owner: string
  readonly contents: Contents
  timer: NodeJS.Timeout
}

export function createStaging(): Staging {
  const waiting = new Map<string, Waiting>()
  const keyOf = ({ owner, id }: Registrant) => JSON.stringify([owner, id])

  function drop(from: Registrant): void {
    const key = keyOf(from)
    clearTimeout(waiting.get(key)?.timer)
    waiting.delete(key)
  }

  function count(owner?: string): number {
    let sum = 0
    for (const skill of waiting.values()) {
      if (owner !== undefined && owner !== skill.owner) continue
      sum += SKILL_BYTES
      for (const { bytes } of skill.contents.values()) sum += bytes
    }
    return sum
  }

  return {
    drop,
    add(from, files) {
      const { owner } = from
      const known = waiting.get(keyOf(from))
      const added = toAdded(files, known?.contents)
      const more = [...added.values()].reduce((sum, { bytes }) => sum + bytes, known === undefined ? SKILL_BYTES : 0)
      if (count(owner) + more > MAX_BYTES_EACH || count() + more > MAX_BYTES) {
        throw new Fault(
          'overloaded',
          `Too many files wait for the registration of their skill; try again in ${STAY_MS / 1_000} s`,
        )
      }
      clearTimeout(known?.timer)
      const timer = setTimeout(() => drop(from), STAY_MS).unref()
      waiting.set(keyOf(from), { owner, contents: new Map([...(known?.contents ?? []), ...added]), timer })
    },
    complete(from, files) {
      const contents = waiting.get(keyOf(from))?.contents
      return files.map(({ sha256, ...file }) => {
        if (sha256 === undefined) return file
        const found = contents?.get(sha256)
        if (found !== undefined) return { ...file, ...found.content }
        throw new Fault(
          'not_found',
          `file ${file.path}: this worker has sent nothing ahead with the SHA-256 ${sha256}; send it again`,
        )
      })
    },
    close() {
      for (const { timer } of waiting.values()) clearTimeout(timer)
      waiting.clear()
    },
  }
}

/** What of these has not come yet. */
function toAdded(files: readonly SkillFile[], known: Contents = new Map()): Contents {
  const contents = files.map(({ text, base64 }): Content => (text === undefined ? { base64 } : { text }))
  const added = contents.map((content) => {
    const bytes = toBytes(content).length + FILE_BYTES
    return [toContentHash(content), { content, bytes }] as const
  })
  return new Map(added.filter(([sha256]) => !known.has(sha256)))
}
