import type { OptionTable } from '@iii/sdk'
import { z } from 'zod'

/** What can be set for the registry. */
export interface Options {
  /** The scope of the engine's state that holds the skills. @default 'skills' */
  skillsScope: string
  /** The scope of the engine's state that holds the prompts. @default 'prompts' */
  promptsScope: string
  /** How long the store, a section or a prompt handler may take. @default 10000 */
  stateTimeoutMs: number
}

const scope = z.string().min(1)
/** The longest wait that a timer can count. */
const MAX_TIMEOUT_MS = 2_147_483_647

/** Where each setting is read from. Scopes say where the data is: they come from the file alone. */
export const options: OptionTable<Options> = {
  skillsScope: {
    yaml: 'scopes.skills',
    schema: scope,
    default: 'skills',
    describe: 'State scope of the skills; another one starts empty',
  },
  promptsScope: {
    yaml: 'scopes.prompts',
    schema: scope,
    default: 'prompts',
    describe: 'State scope of the prompts; another one starts empty',
  },
  stateTimeoutMs: {
    yaml: 'state_timeout_ms',
    schema: z.int().min(1).max(MAX_TIMEOUT_MS),
    default: 10_000,
    describe: 'Milliseconds that state calls, sections and prompt handlers may take',
  },
}
