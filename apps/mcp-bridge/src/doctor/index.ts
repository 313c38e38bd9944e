import { busExposureCheck, createStateCheck, diagnose, type ExitCode } from '@iii/sdk/cli'
import type { BridgeSession } from '../cli/session.ts'
import { SESSION_SCOPES } from '../sessions/store.ts'
import { httpCheck } from './http-check.ts'
import { httpExposureCheck } from './network-check.ts'
import { registryCheck } from './registry-check.ts'
import { routeCheck } from './route-check.ts'
import { spansCheck } from './spans-check.ts'

const stateCheck = createStateCheck({
  scope: SESSION_SCOPES.keys,
  without: 'sessions end with the bridge, and a registry has nowhere to keep skills',
  afterRestart: 'sessions end and skills are gone when the engine stops',
  isLasting: false,
})

/** `doctor` */
export function diagnoseBridge(session: BridgeSession): Promise<ExitCode> {
  return diagnose(session, {
    program: 'iii-mcp',
    packageName: '@iii/mcp',
    noun: 'bridge',
    checks: [httpCheck, routeCheck, registryCheck, stateCheck, spansCheck, httpExposureCheck, busExposureCheck],
  })
}
