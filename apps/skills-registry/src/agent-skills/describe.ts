import { toFault } from '@iii/protocol'
import type { Logger } from '@iii/sdk'
import { toAgentFacts } from '../renditions/facts.ts'
import { RENDITION } from '../renditions/render.ts'
import type { SkillInfo, Skills } from '../skills/skills.ts'
import { forEach } from '../store/concurrency.ts'
import { isUndecodable } from '../store/store-fault.ts'
import type { Described } from './view.ts'

/** So many texts are read side by side. */
const AT_ONCE = 64

/** What knows of listed skills how they are served. */
export interface Describe {
  /** What cannot be served is left out. */
  all(infos: readonly SkillInfo[]): Promise<Described[]>
  /** Reads a text again whose facts in the index are not those of this registry, whatever they say of themselves. */
  anew(info: SkillInfo): Promise<void>
}

/** What another version of the registry has indexed says nothing of how a skill is served, or what that one makes of it: its text is read, once. */
export function createDescribe(skills: Pick<Skills, 'read'>, log: Pick<Logger, 'warn'>): Describe {
  const known = new WeakMap<SkillInfo, Described>()
  const told = new Set<string>()

  /** A text that went down with the store is listed, and cannot be served. What is no record any more is told once. */
  function passOver(id: string, error: unknown): undefined {
    const { code, message: reason } = toFault(error)
    if (code === 'not_found') return
    if (!isUndecodable(error)) throw error
    if (!told.has(id))
      log.warn({ skill: id, reason }, 'a skill whose stored row is none is not served as an Agent Skill')
    told.add(id)
  }

  async function read(info: SkillInfo): Promise<Described | undefined> {
    const { id, bytes } = info
    const row = await skills.read(id).catch((error: unknown) => passOver(id, error))
    if (!row) return undefined
    const described = { id, bytes, agent: toAgentFacts(id, row.skill), files: row.files }
    known.set(info, described)
    return described
  }

  return {
    async all(infos) {
      const described = await forEach(
        infos,
        AT_ONCE,
        async (info) => known.get(info) ?? (isDescribed(info) ? info : await read(info)),
      )
      return described.filter((info) => info !== undefined)
    },
    async anew(info) {
      await read(info)
    },
  }
}

function isDescribed(info: SkillInfo): info is SkillInfo & Described {
  return info.agent?.rendition === RENDITION
}
