import { z } from 'zod'

/** Id of the trigger type that fires after each change of a skill. */
export const SKILLS_ON_CHANGE = 'skills::on-change'
/** What the registration of {@link SKILLS_ON_CHANGE} says. */
export const SKILLS_ON_CHANGE_DESCRIPTION = 'Fires after any mutation of the skills registry (register / unregister).'
/** Id of the trigger type that fires after each change of a prompt. */
export const PROMPTS_ON_CHANGE = 'prompts::on-change'
/** What the registration of {@link PROMPTS_ON_CHANGE} says. */
export const PROMPTS_ON_CHANGE_DESCRIPTION = 'Fires after any mutation of the prompts registry (register / unregister).'
/** Id of the trigger type that tells what MCP clients have called through the bridges of an engine. */
export const MCP_ON_CALL = 'mcp::on-call'
/** What the registration of {@link MCP_ON_CALL} says. */
export const MCP_ON_CALL_DESCRIPTION =
  'Tells of every tool call, section, prompt and task of MCP clients once it is over, in batches.'

/** Id of the trigger type that tells what workers have called of the tools of MCP servers; its form is that of {@link MCP_ON_CALL}. */
export const MCP_CLIENT_ON_CALL = 'mcp-client::on-call'

const op = z.enum(['register', 'unregister'])
/** A registration with the content that was there already fires too, and says `false`. */
const changed = z.boolean()
/** Who had registered it before, when it is somebody else now. */
const previous_owner = z.string().optional()

/** The event of {@link SKILLS_ON_CHANGE}: a hint to read the skill again. */
export const SkillChange = z.object({ op, id: z.string(), changed, previous_owner })
export type SkillChange = z.infer<typeof SkillChange>

/** The event of {@link PROMPTS_ON_CHANGE}: a hint to read the prompt again. */
export const PromptChange = z.object({ op, name: z.string(), changed, previous_owner })
export type PromptChange = z.infer<typeof PromptChange>
