import {
  busExposureCheck,
  type Check,
  createNamesCheck,
  createNamespaceCheck,
  createStateCheck,
  diagnose,
  type ExitCode,
  skipped,
  spansCheck,
} from '@iii/sdk/cli'
import { parseApiPath } from '../../mcp/api-path.ts'
import { SESSION_SCOPES } from '../../sessions/store.ts'
import type { BridgeSession } from '../session.ts'
import { bridgesCheck } from './bridges-check.ts'
import type { BridgeContext } from './context.ts'
import { healthCheck } from './health-check.ts'
import { httpCheck } from './http-check.ts'
import { issuerCheck } from './issuer-check.ts'
import { httpExposureCheck } from './network-check.ts'
import { proxyCheck } from './proxy-check.ts'
import { registryCheck } from './registry-check.ts'
import { routeCheck } from './route-check.ts'
import { tokensCheck } from './tokens-check.ts'
import { toolsCheck } from './tools-check.ts'

const stateCheck = createStateCheck({
  scope: SESSION_SCOPES.keys,
  without: 'sessions end with the bridge, and a registry has nowhere to keep skills',
  afterRestart: 'sessions end and skills are gone when the engine stops',
  isLasting: false,
})

const namesCheck = createNamesCheck<BridgeSession>({
  workerName: 'mcp',
  functionIds({ settings }) {
    const path = parseApiPath(settings.value.apiPath)
    return path === undefined ? [] : [path.functionId]
  },
})
const namespaceCheck = createNamespaceCheck<BridgeSession>({ shown: ({ settings }) => settings.value.namespaces })

/** `doctor` */
export function diagnoseBridge(session: BridgeSession): Promise<ExitCode> {
  return diagnose(session, {
    program: 'iii-mcp',
    packageName: '@iii/mcp',
    noun: 'bridge',
    checks: [
      ...[
        httpCheck,
        needingSettings(routeCheck),
        needingSettings(healthCheck),
        bridgesCheck,
        needingSettings(toolsCheck),
      ],
      ...[registryCheck, stateCheck, spansCheck, needingSettings(namesCheck), needingSettings(namespaceCheck)],
      ...[httpExposureCheck, needingSettings(tokensCheck), needingSettings(issuerCheck)],
      ...[needingSettings(proxyCheck), busExposureCheck],
    ],
  })
}

/** What would be judged by the defaults where the file cannot be used says nothing of the bridge that is started with it. */
function needingSettings(check: Check<BridgeContext>): Check<BridgeContext> {
  return {
    name: check.name,
    run: async (context) =>
      context.session.settings.locked === undefined
        ? await check.run(context)
        : skipped('needs the configuration, which cannot be used'),
  }
}
