import { promptsFunctions, skillsFunctions, toScope } from '@iii/protocol'
import {
  busExposureCheck,
  createNamesCheck,
  createNamespaceCheck,
  createStateCheck,
  diagnose,
  type ExitCode,
  spansCheck,
} from '@iii/sdk/cli'
import { ownerCheck } from './owner-check.ts'
import { rowsCheck } from './rows-check.ts'
import type { RegistrySession } from './session.ts'

const namesCheck = createNamesCheck({
  workerName: 'skills',
  functionIds: () => [...Object.values(skillsFunctions), ...Object.values(promptsFunctions)].map(({ id }) => id),
})
const namespaceCheck = createNamespaceCheck()

/** `doctor` */
export function diagnoseRegistry(session: RegistrySession): Promise<ExitCode> {
  const stateCheck = createStateCheck({
    scope: toScope(session.settings.value.skillsScope, session.said.namespace),
    without: 'the registry has nowhere to keep anything, and refuses every registration',
    afterRestart: 'skills and prompts are gone when the engine stops, but for what a running registry remembers',
    isLasting: true,
  })
  return diagnose(session, {
    program: 'iii-skills',
    packageName: '@iii/skills',
    noun: 'registry',
    checks: [ownerCheck, stateCheck, rowsCheck, spansCheck, namesCheck, namespaceCheck, busExposureCheck],
  })
}
