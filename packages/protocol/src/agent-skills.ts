import { z } from 'zod'
import { defineContract } from './contract.ts'
import { SkillFile, SkillFileFact } from './skill-files.ts'
import { ResourceEntry } from './skills.ts'

/** An Agent Skill as the extension `io.modelcontextprotocol/skills` lists it (SEP-2640): `resources` are all of its files, `SKILL.md` among them. */
export const AgentSkillEntry = z.object({
  /** The address of its `SKILL.md`. */
  uri: z.string(),
  frontmatter: z.record(z.string(), z.unknown()),
  resources: z.array(
    z.object({
      uri: z.string(),
      /** `sha256:` and 64 hex digits, of the bytes. */
      digest: z.string(),
      /** In bytes. */
      size: z.int().nonnegative(),
    }),
  ),
})
export type AgentSkillEntry = z.infer<typeof AgentSkillEntry>

/**
 * What keeps a skill from being served as it is, and what would mend it.
 *
 * - left_out: it is not served as an Agent Skill at all
 * - rendered: it is served with front matter that was made for it
 * - warning: it is served, and some hosts may read it otherwise
 */
export const SkillFinding = z.object({
  id: z.string(),
  verdict: z.enum(['left_out', 'rendered', 'warning']),
  reason: z.string(),
})
export type SkillFinding = z.infer<typeof SkillFinding>

/** Beginnings of the ids of skills that the asker may read, by whole segments; without it all. What it may not read is as if it were not there. */
const prefixes = z.array(z.string()).optional()
/** What the page before ended with. */
const after = z.string().optional()

/** The longest index of skills in the instructions of a server, in UTF-16 units. */
export const MAX_BRIEF_LENGTH = 2000

/**
 * The functions of the skills registry that serve skills with their files, as the bridge asks for them.
 *
 * @example
 * agentSkillsFunctions.get.id // 'skills::mcp-get'
 */
export const agentSkillsFunctions = {
  list: defineContract({
    id: 'skills::mcp-list',
    description: 'Internal: a page of the skills that are served as Agent Skills, with all of their files.',
    request: z.object({ after, prefixes }),
    response: z.object({ skills: z.array(AgentSkillEntry), after }),
  }),
  get: defineContract({
    id: 'skills::mcp-get',
    description: 'Internal: the Agent Skill whose SKILL.md has this skill:// address.',
    request: z.object({ uri: z.string(), prefixes }),
    response: AgentSkillEntry,
  }),
  directory: defineContract({
    id: 'skills::mcp-directory',
    description: 'Internal: a page of what lies directly in a skill:// directory.',
    request: z.object({ uri: z.string(), after, prefixes }),
    response: z.object({ resources: z.array(ResourceEntry), after }),
  }),
  stage: defineContract({
    id: 'skills::mcp-stage',
    description: 'Internal: takes files ahead of a registration that names them by SHA-256 within a minute.',
    request: z.object({ id: z.string(), files: z.array(SkillFile) }),
    response: z.object({ staged: z.int().nonnegative() }),
  }),
  brief: defineContract({
    id: 'skills::mcp-brief',
    description: `Internal: the most important skills in at most ${MAX_BRIEF_LENGTH} characters.`,
    request: z.object({ prefixes }),
    response: z.object({ text: z.string() }),
  }),
  digest: defineContract({
    id: 'skills::mcp-digest',
    description: 'Internal: a digest of all names and descriptions of Agent Skills.',
    request: z.object({ prefixes }),
    response: z.object({ digest: z.string() }),
  }),
  lint: defineContract({
    id: 'skills::lint',
    description: 'Internal: what keeps skills, or the one with this id, from being served as they are; a page of them.',
    request: z.object({ id: z.string().optional(), after }),
    response: z.object({ findings: z.array(SkillFinding), skills: z.int().nonnegative(), after }),
  }),
  files: defineContract({
    id: 'skills::files',
    description: 'Internal: what is known of the files of the skill with this id, sorted by path.',
    request: z.object({ id: z.string() }),
    response: z.object({ files: z.array(SkillFileFact) }),
  }),
  readFile: defineContract({
    id: 'skills::file-read',
    description: 'Internal: the content of a file of the skill with this id, as text or base64.',
    request: z.object({ id: z.string(), path: z.string() }),
    response: z.object({ text: z.string().optional(), base64: z.string().optional() }),
  }),
}
