import { promptsFunctions, skillsFunctions, toFault } from '@iii/protocol'
import { findOwner } from '@iii/sdk'
import { isAbsent } from '../absent.ts'
import { isObject } from '../rpc.ts'
import { SESSION_SCOPES } from '../sessions/store.ts'
import { type Check, ok, problem, warning } from './check.ts'
import type { DoctorContext } from './context.ts'

/** Is there a registry, and does its store answer? */
export const registryCheck: Check<DoctorContext> = {
  name: 'registry',
  async run({ engine, ask }) {
    await engine()
    const owner = await findOwner(ask, skillsFunctions.resourcesList.id)
    if (owner === undefined) {
      return warning(
        'there is no skills worker on this engine: clients see no skills and no registered prompts',
        'start one if you want them: npx -y @iii/skills',
      )
    }
    try {
      const resources = await ask(skillsFunctions.resourcesList.id, {})
      const prompts = await ask(promptsFunctions.list.id, {})
      return ok(
        `${owner.text} answers: ${count(resources, 'resources')} resources, ${count(prompts, 'prompts')} prompts`,
      )
    } catch (error) {
      return problem(
        `${owner.text} cannot answer: ${toFault(error).message}`,
        'look into its log; without the worker iii-state it has nowhere to keep anything',
      )
    }
  },
}

function count(answer: unknown, key: string): number {
  const rows: unknown = isObject(answer) ? answer[key] : undefined
  return Array.isArray(rows) ? rows.length : 0
}

/** Does the engine keep anything? Read only: nothing is left behind. */
export const stateCheck: Check<DoctorContext> = {
  name: 'state',
  async run({ engine, ask }) {
    await engine()
    try {
      await ask('state::get', { scope: SESSION_SCOPES.keys, key: 'doctor' })
      return ok("the engine's state answers")
    } catch (error) {
      if (!isAbsent(error, 'state::get'))
        return problem(`the engine's state does not answer: ${toFault(error).message}`)
      return warning(
        'the engine has no state: sessions end with the bridge, and a registry has nowhere to keep skills',
        'add the worker iii-state to the configuration of the engine',
      )
    }
  },
}
