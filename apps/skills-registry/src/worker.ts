import {
  Fault,
  PROMPTS_ON_CHANGE,
  PROMPTS_ON_CHANGE_DESCRIPTION,
  PromptChange,
  SKILLS_ON_CHANGE,
  SKILLS_ON_CHANGE_DESCRIPTION,
  SkillChange,
  toPlainMessage,
} from '@iii/protocol'
import { createChangeFeed, createStateScope, type Logger, type Settings, type StateScope, type Worker } from '@iii/sdk'
import { serveFetch } from './fetch.ts'
import { createFunctionCalls } from './function-calls.ts'
import type { Options } from './options.ts'
import { promptRecords, servePrompts } from './prompts.ts'
import { createStamps } from './registered-at.ts'
import { createRegistry } from './registry.ts'
import { createResources, serveResources } from './resources.ts'
import { createServe } from './serve.ts'
import { serveSkills, skillRecords } from './skills.ts'

/**
 * Puts everything that the registry offers on the bus: two trigger types and thirteen functions.
 *
 * Nothing is read here and nothing has to be there yet: each call asks the engine's state, and says so when it is missing.
 */
export function serveRegistry(worker: Worker, settings: Settings<Options>, log: Logger): void {
  const skillChanges = createChangeFeed<SkillChange>(worker, {
    id: SKILLS_ON_CHANGE,
    description: SKILLS_ON_CHANGE_DESCRIPTION,
    change: SkillChange,
    log,
  })
  const promptChanges = createChangeFeed<PromptChange>(worker, {
    id: PROMPTS_ON_CHANGE,
    description: PROMPTS_ON_CHANGE_DESCRIPTION,
    change: PromptChange,
    log,
  })
  const stamp = createStamps()
  const skills = createRegistry({
    ...skillRecords,
    scope: createScopes(worker, settings, 'skillsScope'),
    announce: ({ op, key, changed }) => skillChanges.announce({ op, id: key, changed }),
    stamp,
    log,
  })
  const prompts = createRegistry({
    ...promptRecords,
    scope: createScopes(worker, settings, 'promptsScope'),
    announce: ({ op, key, changed }) => promptChanges.announce({ op, name: key, changed }),
    stamp,
    log,
  })
  const calls = createFunctionCalls(worker, () => settings.value.stateTimeoutMs)
  const resources = createResources(skills, calls)
  const serve = createServe(worker, () => requireUsable(settings))
  serveSkills(serve, skills)
  serveResources(serve, resources)
  serveFetch(serve, resources)
  servePrompts(serve, prompts, calls)
}

/** Gives the scope as the settings have it at the moment: the file may be changed while the worker runs. */
function createScopes(worker: Worker, settings: Settings<Options>, which: 'skillsScope' | 'promptsScope') {
  const open = ({ [which]: name, stateTimeoutMs: timeoutMs }: Options) => ({
    name,
    timeoutMs,
    scope: createStateScope(worker, name, { timeoutMs }),
  })
  let current = open(settings.value)
  return (): StateScope<unknown> => {
    const { [which]: name, stateTimeoutMs } = settings.value
    if (name !== current.name || stateTimeoutMs !== current.timeoutMs) current = open(settings.value)
    return current.scope
  }
}

/** @throws Fault `unavailable` while the settings do not say for certain where the data is: a wrong scope would split it. */
function requireUsable({ locked, value }: Settings<Options>): void {
  if (locked !== undefined) {
    throw new Fault('unavailable', `The configuration of the skills registry is malformed: ${toPlainMessage(locked)}`)
  }
  if (value.skillsScope !== value.promptsScope) return
  throw new Fault('unavailable', `scopes.skills and scopes.prompts are both '${value.skillsScope}': they must differ`)
}
