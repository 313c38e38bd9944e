import {
  checkSkillBody,
  checkSkillId,
  checkSkillPath,
  Fault,
  MAX_ID_BYTES,
  SkillRow,
  skillsFunctions,
} from '@iii/protocol'
import { type Outline, toOutline } from './outline.ts'
import type { Registry, RegistryOptions } from './registry.ts'
import type { Serve } from './serve.ts'
import { compare } from './tree.ts'

/** What a list shows of a skill: everything but its body. */
export interface SkillInfo extends Outline {
  id: string
  /** UTF-8 length of the body. */
  bytes: number
  registered_at: string
}

/** The registered skills. */
export type Skills = Registry<SkillRow, SkillInfo>

/** How skills are stored, compared and listed. */
export const skillRecords = {
  what: 'skill',
  // Whatever is longer was never registered, and could not be shown.
  schema: SkillRow.refine(({ id }) => id.length <= MAX_ID_BYTES, { path: ['id'], message: 'too long' }),
  toEntry: (row: SkillRow): SkillInfo => ({
    ...toOutline(row.skill),
    id: row.id,
    bytes: Buffer.byteLength(row.skill),
    registered_at: row.registered_at,
  }),
  isSame: (a: SkillRow, b: SkillRow) => a.skill === b.skill,
} satisfies Partial<RegistryOptions<SkillRow, SkillInfo>>

/** Puts `skills::register`, `skills::unregister` and `skills::list` on the bus. */
export function serveSkills(serve: Serve, skills: Skills): void {
  serve(skillsFunctions.register, async ({ id, skill }) => {
    refuseIf(checkSkillId(id) ?? checkSkillBody(skill))
    return { id, registered_at: await skills.write(id, { id, skill }) }
  })
  serve(skillsFunctions.unregister, async ({ id }) => {
    // Rows of old stores under ids that are reserved today can still be removed.
    refuseIf(checkSkillPath(id))
    return { id, removed: await skills.remove(id) }
  })
  serve(skillsFunctions.list, async () => {
    const infos = await skills.list()
    const entries = infos.map(({ id, bytes, registered_at }) => ({ id, bytes, registered_at }))
    return { skills: entries.sort((a, b) => compare(a.id, b.id)) }
  })
}

function refuseIf(problem: string | undefined): void {
  if (problem !== undefined) throw new Fault('invalid_input', problem)
}
