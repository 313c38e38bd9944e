import {
  agentSkillsFunctions,
  Fault,
  formatUri,
  type PromptEntry,
  promptsFunctions,
  type ResourceContents,
  type SkillEntry,
  type SkillFile,
  type SkillFileFact,
  type SkillFinding,
  skillsFunctions,
  toFault,
} from '@iii/protocol'
import { REGISTRATION, type SkillRegistration, toSkillRegistration } from '@iii/sdk'
import { createLimit } from '../store/concurrency.ts'
import type { CallRegistry } from './calls.ts'

/** Some of all: what a list shows, and how many it does not. */
export interface CutList<T> {
  entries: readonly T[]
  leftOut: number
}

/** The registry on the engine, as far as an operator needs it. Everything rejects as {@link CallRegistry} does. */
export interface Remote {
  listSkills(): Promise<CutList<SkillEntry>>
  /** By id; what has no title is missing. */
  listTitles(): Promise<ReadonlyMap<string, string>>
  read(uri: string): Promise<readonly ResourceContents[]>
  /** The body of a skill. @throws Fault `not_found` */
  readSkill(id: string): Promise<string>
  /** A skill with all of its files. @throws CommandFailure where the registry keeps no files */
  register(id: string, skill: string, files?: readonly SkillFile[]): Promise<void>
  /** What is known of the files of a skill. @throws Fault `not_found` */
  listFiles(id: string): Promise<readonly SkillFileFact[]>
  /** The bytes of a file of a skill. @throws Fault `not_found` */
  readFile(id: string, path: string): Promise<Buffer>
  /** What keeps skills, or one of them, from being served as they are. @throws Fault `not_found` */
  lint(id: string | undefined): Promise<{ findings: readonly SkillFinding[]; skills: number }>
  /** Whether it was there. */
  removeSkill(id: string): Promise<boolean>
  listPrompts(): Promise<CutList<PromptEntry>>
  /** By name. */
  listDescriptions(): Promise<ReadonlyMap<string, string>>
  /** Whether it was there. */
  removePrompt(name: string): Promise<boolean>
}

export function createRemote(call: CallRegistry): Remote {
  const read = async (uri: string) => (await call(skillsFunctions.resourcesRead, { uri })).contents
  // A registry keeps so much of what was sent ahead and no more.
  const oneAtATime = createLimit(1)

  let keepsFiles = false

  /** A registry of an older version takes a skill, says nothing of its files and does not keep them. */
  async function requireFileKeeping(id: string): Promise<void> {
    if (keepsFiles) return
    await call(agentSkillsFunctions.files, { id }).catch((error: unknown) => {
      if (toFault(error).code !== 'not_found') throw error
    })
    keepsFiles = true
  }

  async function registerInParts({ ahead, skill }: SkillRegistration): Promise<void> {
    for (const part of ahead) await call(REGISTRATION.ahead, part)
    await call(REGISTRATION.skill, skill)
  }

  /** A registry that restarts between the parts has none of those before. */
  async function registerInPartsAgain(registration: SkillRegistration): Promise<void> {
    await registerInParts(registration).catch((error: unknown) => {
      if (toFault(error).code !== 'not_found') throw error
      return registerInParts(registration)
    })
  }

  return {
    async listSkills() {
      const { skills, left_out: leftOut = 0 } = await call(skillsFunctions.list, {})
      return { entries: skills, leftOut }
    },
    async listTitles() {
      const { resources } = await call(skillsFunctions.resourcesList, {})
      return new Map(resources.flatMap(({ uri, title }) => (title === undefined ? [] : [[toId(uri), title] as const])))
    },
    read,
    async readSkill(id) {
      const [first] = await read(formatUri({ kind: 'skill', id }))
      if (typeof first?.['text'] === 'string') return first['text']
      throw new Fault('internal', `the registry has no text for the skill ${id}`)
    },
    async register(id, skill, files = []) {
      if (files.length > 0) await requireFileKeeping(id)
      const registration = toSkillRegistration({ id, skill, ...(files.length > 0 ? { files: [...files] } : {}) })
      if (registration.ahead.length === 0) await call(REGISTRATION.skill, registration.skill)
      else await oneAtATime(() => registerInPartsAgain(registration))
    },
    listFiles: async (id) => (await call(agentSkillsFunctions.files, { id })).files,
    async readFile(id, path) {
      const { text, base64 = '' } = await call(agentSkillsFunctions.readFile, { id, path })
      return text === undefined ? Buffer.from(base64, 'base64') : Buffer.from(text)
    },
    async lint(id) {
      const findings: SkillFinding[] = []
      let skills = 0
      for (let after: string | undefined, isLast = false; !isLast; isLast = after === undefined) {
        const page = await call(agentSkillsFunctions.lint, { id, after })
        findings.push(...page.findings)
        skills += page.skills
        after = page.after
      }
      return { findings, skills }
    },
    removeSkill: async (id) => (await call(skillsFunctions.unregister, { id }, { once: true })).removed,
    async listPrompts() {
      const { prompts, left_out: leftOut = 0 } = await call(promptsFunctions.list, {})
      return { entries: prompts, leftOut }
    },
    async listDescriptions() {
      const { prompts } = await call(promptsFunctions.mcpList, {})
      return new Map(prompts.map(({ name, description = '' }) => [name, description] as const))
    },
    removePrompt: async (name) => (await call(promptsFunctions.unregister, { name }, { once: true })).removed,
  }
}

function toId(uri: string): string {
  return uri.replace(/^iii:\/\//, '')
}
