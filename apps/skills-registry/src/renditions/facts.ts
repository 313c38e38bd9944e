import { checkSkillFiles, type JsonObject, SkillFileFact } from '@iii/protocol'
import { z } from 'zod'
import type { Outline } from '../markdown/outline.ts'
import { isAgentFrontMatter, RENDITION, toRendition, toSha256 } from './render.ts'

/** What lists of the skills extension show of a skill, kept in the index so that none of them reads a body. */
export interface AgentFacts {
  /** SHA-256 of the registered text, in hex. */
  sha256: string
  frontmatter: JsonObject
  /** SHA-256 and UTF-8 length of the text that is served as `SKILL.md`, where that is another than the registered one. */
  rendered?: { sha256: string; bytes: number } | undefined
  /** Whether the registered text has a name and a description of its own. */
  declares: boolean
  /** The form of `SKILL.md` that these are facts of; absent where an older registry has indexed them. */
  rendition?: number | undefined
}

/** In the index; `catch` is for rows that somebody else wrote, which are described anew when they are read. */
export const agentFactsSchema = z
  .object({
    sha256: z.string(),
    frontmatter: z.custom<JsonObject>(isAgentFrontMatter),
    rendered: z.object({ sha256: z.string(), bytes: z.int().nonnegative() }).optional(),
    declares: z.boolean(),
    rendition: z.int().optional(),
  })
  .optional()
  .catch(undefined)

/** Files in the index, where they are such as could be registered. */
export const filesSchema = z
  .array(SkillFileFact)
  .refine((files) => checkSkillFiles(files) === undefined)
  .optional()
  .catch(undefined)

export function toAgentFacts(id: string, skill: string, outline?: Outline): AgentFacts {
  const { text, frontmatter, isRendered, declares } = toRendition(id, skill, outline)
  const facts = { sha256: toSha256(skill), frontmatter, declares, rendition: RENDITION }
  if (!isRendered) return facts
  return { ...facts, rendered: { sha256: toSha256(text), bytes: Buffer.byteLength(text) } }
}
