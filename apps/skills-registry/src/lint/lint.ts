import { agentSkillsFunctions, compareText, Fault, type SkillFinding, toFault } from '@iii/protocol'
import type { AgentSkills } from '../agent-skills/agent-skills.ts'
import type { ServeFunction } from '../serve.ts'
import type { SkillInfo, Skills } from '../skills/skills.ts'
import { forEach } from '../store/concurrency.ts'
import { lintSkill } from './lint-skill.ts'

/** So many skills a page is about. */
const PAGE_SKILLS = 500
/** So many texts are read side by side. */
const AT_ONCE = 64

/** Puts `skills::lint` on the bus: it reads the texts, and asks of nothing else than what hosts are served. */
export function serveLint(serve: ServeFunction, skills: Skills, agentSkills: Pick<AgentSkills, 'view'>): void {
  serve(agentSkillsFunctions.lint, async ({ id, after }) => {
    const infos = [...(await skills.list())].sort((a, b) => compareText(a.id, b.id))
    const asked = id === undefined ? infos : infos.filter((info) => info.id === id)
    if (id !== undefined && asked.length === 0) await refuseUnlisted(id)
    const start = after === undefined ? 0 : asked.findIndex((info) => compareText(info.id, after) > 0)
    const page = start === -1 ? [] : asked.slice(start, start + PAGE_SKILLS)
    const findings = await lintPage(page)
    const last = page.at(-1)
    const isWhole = last === undefined || last === asked.at(-1)
    return { findings, skills: page.length, ...(isWhole ? {} : { after: last.id }) }
  })

  async function lintPage(page: readonly SkillInfo[]): Promise<SkillFinding[]> {
    const view = await agentSkills.view(undefined)
    const found = await forEach(page, AT_ONCE, async ({ id }) => {
      const text = await readText(id)
      return text === undefined ? [toLost(id)] : lintSkill(id, text, view)
    })
    return found.flat()
  }

  /** @throws Fault `unavailable` for what is away with its worker, else `not_found` */
  async function refuseUnlisted(id: string): Promise<never> {
    await skills.read(id)
    throw new Fault('not_found', `Skill not found: ${id}`)
  }

  /** A text that went down with the store is listed all the same. */
  async function readText(id: string): Promise<string | undefined> {
    const row = await skills.read(id).catch((error: unknown) => {
      if (toFault(error).code !== 'not_found') throw error
    })
    return row?.skill
  }
}

function toLost(id: string): SkillFinding {
  return { id, verdict: 'left_out', reason: 'its text is not in the store any more: register it again' }
}
