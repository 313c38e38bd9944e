import {
  agentSkillsFunctions,
  checkSkillBody,
  checkSkillFiles,
  checkSkillId,
  checkSkillPath,
  compareText,
  Fault,
  MAX_ID_BYTES,
  type SkillFile,
  type SkillFileFact,
  SkillRow,
  skillsFunctions,
} from '@iii/protocol'
import { z } from 'zod'
import type { SkillFiles } from '../files/skill-files.ts'
import type { Staging } from '../files/staging.ts'
import { type Outline, outlineFields, toOutline } from '../markdown/outline.ts'
import { toAnswer } from '../records/page.ts'
import { isStampShort } from '../records/registered-at.ts'
import type { Registry, Surveyed } from '../records/registry.ts'
import { memoize, memoizeEach } from '../records/remembered.ts'
import { type AgentFacts, agentFactsSchema, filesSchema, toAgentFacts } from '../renditions/facts.ts'
import { RENDITION } from '../renditions/render.ts'
import { refuseIf, type ServeFunction } from '../serve.ts'
import { type RecordKind, ROW_BYTES } from '../store/record-kind.ts'

/** What a list shows of a skill: everything but its body. */
export interface SkillInfo extends Outline {
  id: string
  /** UTF-8 length of the body. */
  bytes: number
  registered_at: string
  /** What hosts of the skills extension see of it; undefined in what an older registry has indexed. */
  agent?: AgentFacts | undefined
  files?: readonly SkillFileFact[] | undefined
  /** The worker that it lives as long as. */
  lease?: string | undefined
}

/** The registered skills. */
export type Skills = Registry<SkillRow, SkillInfo>

/** How skills are stored, compared and listed. */
export const skillRecords: RecordKind<SkillRow, SkillInfo> = {
  what: 'skill',
  // Whatever is longer was never registered, and could not be shown.
  schema: SkillRow.refine(({ id }) => id.length <= MAX_ID_BYTES, { path: ['id'], message: 'too long' })
    .refine(isStampShort, { path: ['registered_at'], message: 'too long' })
    .superRefine(({ files = [] }, context) => {
      const message = checkSkillFiles(files)
      if (message !== undefined) context.addIssue({ code: 'custom', path: ['files'], message })
    }),
  keyOf: ({ id }) => id,
  contentOf: ({ skill, files }) => (files?.length ? `${skill}\0${JSON.stringify(files)}` : skill),
  toEntry({ id, skill, files, lease, registered_at }) {
    const outline = toOutline(skill)
    return {
      ...outline,
      id,
      bytes: Buffer.byteLength(skill),
      registered_at,
      agent: toAgentFacts(id, skill, outline),
      ...(files?.length ? { files } : {}),
      ...(lease === undefined ? {} : { lease }),
    }
  },
  entrySchema: z
    .object({
      ...outlineFields,
      id: z.string(),
      bytes: z.int().nonnegative(),
      registered_at: z.string(),
      agent: agentFactsSchema,
      files: filesSchema,
      lease: z.string().optional(),
    })
    .refine(isStampShort) as z.ZodType<SkillInfo>,
  isUpToDate: ({ agent }) => (agent?.rendition ?? 0) >= RENDITION,
  sizeOf: ({ id, bytes, files = [], lease = '' }) =>
    files.reduce((sum, { path, mimeType }) => sum + FACT_BYTES + Buffer.byteLength(path) + mimeType.length, ROW_BYTES) +
    bytes +
    Buffer.byteLength(id) +
    Buffer.byteLength(lease),
}

/** What is known of a file takes so much beside its path and its media type. */
const FACT_BYTES = 128

/** Puts `skills::register`, `skills::mcp-stage`, `skills::unregister` and `skills::list` on the bus. */
export function serveSkills(serve: ServeFunction, skills: Skills, files: SkillFiles, staging: Staging): void {
  serve(skillsFunctions.register, async ({ id, skill, files: given = [], lease }, _metadata, call) => {
    refuseIf(checkSkillId(id) ?? checkSkillBody(skill) ?? checkSkillFiles(given, skill))
    if (given.length === 0) return { id, registered_at: await skills.write({ id, skill }, call, lease) }
    await skills.requirePermit(id, call)
    const from = { owner: await skills.ownerOf(call), id }
    const whole = staging.complete(from, given)
    refuseIf(checkSkillFiles(whole, skill))
    // What the skill names is there before the skill names it.
    const facts = await files.store(id, whole)
    const registered_at = await skills.write({ id, skill, files: facts }, call, lease)
    staging.drop(from)
    return { id, registered_at }
  })
  serve(agentSkillsFunctions.stage, async ({ id, files: given }, _metadata, call) => {
    refuseIf(checkSkillId(id) ?? checkSkillFiles(given) ?? explainNothing(given))
    await skills.requirePermit(id, call)
    staging.add({ owner: await skills.ownerOf(call), id }, given)
    return { staged: given.length }
  })
  serve(skillsFunctions.unregister, async ({ id }, _metadata, call) => {
    // Rows of old stores under ids that are reserved today can still be removed.
    refuseIf(checkSkillPath(id))
    return { id, removed: await skills.remove(id, call) }
  })
  const factsOf = async (id: string) => {
    const row = await skills.read(id)
    if (row === undefined) throw new Fault('not_found', `Skill not found: ${id}`)
    return row.files ?? []
  }
  serve(agentSkillsFunctions.files, async ({ id }) => ({ files: [...(await factsOf(id))] }))
  serve(agentSkillsFunctions.readFile, async ({ id, path }) => {
    const fact = (await factsOf(id)).find((file) => file.path === path)
    const row = fact && (await files.read(id, fact.sha256))
    if (row === undefined) throw new Fault('not_found', `The skill ${id} has no file ${path}`)
    return row.text === undefined ? { base64: row.base64 ?? '' } : { text: row.text }
  })
  serve(skillsFunctions.list, async () => toList(await skills.survey()))
}

function explainNothing(files: readonly SkillFile[]): string | undefined {
  const bare = files.find(({ sha256 }) => sha256 !== undefined)
  return bare && `file ${bare.path}: what is sent ahead is text or base64`
}

const toRow = memoizeEach(({ id, bytes, registered_at, owner, files, away }: Surveyed<SkillInfo>) => ({
  id,
  bytes,
  registered_at,
  owner,
  ...(files?.length ? { files: files.length } : {}),
  ...(away === undefined ? {} : { away }),
}))

const toList = memoize((infos: readonly Surveyed<SkillInfo>[]) =>
  toAnswer('skills', [...infos].sort((a, b) => compareText(a.id, b.id)).map(toRow)),
)
