import {
  checkSkillBody,
  checkSkillId,
  checkSkillPath,
  compareText,
  MAX_ID_BYTES,
  SkillRow,
  skillsFunctions,
} from '@iii/protocol'
import { z } from 'zod'
import { type Outline, toOutline } from '../markdown/outline.ts'
import { toAnswer } from '../records/page.ts'
import { isStampShort } from '../records/registered-at.ts'
import type { Listed, Registry } from '../records/registry.ts'
import { memoize, memoizeEach } from '../records/remembered.ts'
import { refuseIf, type Serve } from '../serve.ts'
import type { RecordKind } from '../store/record-kind.ts'

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
export const skillRecords: RecordKind<SkillRow, SkillInfo> = {
  what: 'skill',
  // Whatever is longer was never registered, and could not be shown.
  schema: SkillRow.refine(({ id }) => id.length <= MAX_ID_BYTES, { path: ['id'], message: 'too long' }).refine(
    isStampShort,
    { path: ['registered_at'], message: 'too long' },
  ),
  keyOf: ({ id }) => id,
  contentOf: ({ skill }) => skill,
  toEntry: ({ id, skill, registered_at }) => ({
    ...toOutline(skill),
    id,
    bytes: Buffer.byteLength(skill),
    registered_at,
  }),
  entrySchema: z.object({
    id: z.string(),
    title: z.string().optional(),
    summary: z.string().optional(),
    priority: z.number().optional(),
    bytes: z.int(),
    registered_at: z.string(),
  }) as z.ZodType<SkillInfo>,
}

/** Puts `skills::register`, `skills::unregister` and `skills::list` on the bus. */
export function serveSkills(serve: Serve, skills: Skills): void {
  serve(skillsFunctions.register, async ({ id, skill }, _metadata, call) => {
    refuseIf(checkSkillId(id) ?? checkSkillBody(skill))
    return { id, registered_at: await skills.write({ id, skill }, call) }
  })
  serve(skillsFunctions.unregister, async ({ id }, _metadata, call) => {
    // Rows of old stores under ids that are reserved today can still be removed.
    refuseIf(checkSkillPath(id))
    return { id, removed: await skills.remove(id, call) }
  })
  serve(skillsFunctions.list, async () => toList(await skills.list()))
}

const toRow = memoizeEach(({ id, bytes, registered_at, owner }: Listed<SkillInfo>) => ({
  id,
  bytes,
  registered_at,
  owner,
}))

const toList = memoize((infos: readonly Listed<SkillInfo>[]) =>
  toAnswer('skills', [...infos].sort((a, b) => compareText(a.id, b.id)).map(toRow)),
)
