import {
  PROMPTS_ON_CHANGE,
  PROMPTS_ON_CHANGE_DESCRIPTION,
  PromptChange,
  SKILLS_ON_CHANGE,
  SKILLS_ON_CHANGE_DESCRIPTION,
  SkillChange,
  toScope,
} from '@iii/protocol'
import { createChangeFeed, type Logger, type Settings, type Worker } from '@iii/sdk'
import { createAgentSkills, serveAgentSkills } from './agent-skills/agent-skills.ts'
import { announceChangedRule } from './agent-skills/changed-rule.ts'
import { createSkillFiles } from './files/skill-files.ts'
import { createStaging } from './files/staging.ts'
import { startSweep } from './files/sweep.ts'
import { createFunctionCalls } from './invocation/function-calls.ts'
import { serveLint } from './lint/lint.ts'
import { type Options, refuseLocked } from './options.ts'
import { promptRecords, servePrompts } from './prompts/prompts.ts'
import { mergeChanges, toChange } from './records/changes.ts'
import { createWorkerLeases } from './records/leases.ts'
import { createOwners } from './records/owners.ts'
import { createStamps } from './records/registered-at.ts'
import { createRegistry } from './records/registry.ts'
import { serveFetch } from './resources/fetch.ts'
import { createResources, serveResources } from './resources/resources.ts'
import { createServeFunction } from './serve.ts'
import { serveSkills, skillRecords } from './skills/skills.ts'

/** A store that has no index yet comes in one message: 256 MiB of bodies, and what JSON adds to them. */
export const MAX_BUS_MESSAGE_BYTES = 384 * 1024 * 1024

/**
 * Puts everything that the registry offers on the bus: two trigger types and its functions.
 *
 * Nothing is read here and nothing has to be there yet: each call asks the engine's state, and says so when it is missing.
 */
export function serveRegistry(worker: Worker, settings: Settings<Options>, log: Logger): void {
  const skillChanges = createChangeFeed<SkillChange>(worker, {
    id: SKILLS_ON_CHANGE,
    description: SKILLS_ON_CHANGE_DESCRIPTION,
    change: SkillChange,
    merge: mergeChanges,
    log,
  })
  const promptChanges = createChangeFeed<PromptChange>(worker, {
    id: PROMPTS_ON_CHANGE,
    description: PROMPTS_ON_CHANGE_DESCRIPTION,
    change: PromptChange,
    merge: mergeChanges,
    log,
  })
  const owners = createOwners(worker, () => settings.value.stateTimeoutMs)
  const stamp = createStamps()
  const leases = createWorkerLeases({
    worker,
    owners,
    scope: () => toScope(`${settings.value.skillsScope}::leases`, worker.namespace),
    leaseMs: () => settings.value.leaseMs,
    timeoutMs: () => settings.value.stateTimeoutMs,
    log,
  })
  const shared = { worker, settings, owners, leases, stamp, log }
  const files = createSkillFiles({ worker, settings, stamp, log })
  const skills = createRegistry({
    ...shared,
    kind: skillRecords,
    scope: 'skillsScope',
    announce: (change) => skillChanges.announce({ ...toChange(change), id: change.key }),
    // What nobody has read yet may be lost with the store too.
    onKnown: (skill) => {
      if (skill.files?.length) files.open()
    },
  })
  const prompts = createRegistry({
    ...shared,
    kind: promptRecords,
    scope: 'promptsScope',
    announce: (change) => promptChanges.announce({ ...toChange(change), name: change.key }),
  })
  const staging = createStaging()
  worker.onShutdown(() => staging.close())
  const agentSkills = createAgentSkills({ skills, files, frontmatter: () => settings.value.frontmatter, log })
  announceChangedRule({ worker, settings, agentSkills, announce: skillChanges.announce, log })
  startSweep({ worker, skills: skills.stored, files, log })
  const calls = createFunctionCalls(worker, () => settings.value.stateTimeoutMs)
  const listsFiles = () => settings.value.listSkillFiles
  const resources = createResources({ skills, calls, agentSkills, listsFiles })
  const serve = createServeFunction(worker, () => {
    if (settings.locked !== undefined) refuseLocked(settings.locked)
  })
  serveSkills(serve, skills, files, staging)
  serveAgentSkills(serve, agentSkills)
  serveLint(serve, skills, agentSkills)
  serveResources(serve, resources)
  serveFetch(serve, resources)
  servePrompts(serve, prompts, calls)
}
