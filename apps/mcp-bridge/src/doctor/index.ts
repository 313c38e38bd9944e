import { toFault } from '@iii/protocol'
import { CommandFailure, EXIT, type ExitCode, findHttpAddress, toPublicUrl } from '@iii/sdk'
import type { BridgeSession } from '../cli/session.ts'
import { type Check, type Result, runChecks, skipped } from './check.ts'
import { ASK_MS, type DoctorContext } from './context.ts'
import { engineCheck } from './engine-check.ts'
import { httpCheck } from './http-check.ts'
import { configurationCheck, nodeCheck } from './local-checks.ts'
import { busExposureCheck, httpExposureCheck } from './network-check.ts'
import { registryCheck, stateCheck } from './registry-check.ts'
import { formatResults } from './report.ts'
import { routeCheck } from './route-check.ts'

const CHECKS: readonly Check<DoctorContext>[] = [
  nodeCheck,
  configurationCheck,
  engineCheck,
  ...[httpCheck, routeCheck, registryCheck, stateCheck, httpExposureCheck, busExposureCheck].map(needingEngine),
]

/** Longer than an engine may take to greet us and to answer one question. */
const DEADLINE_MS = 10_000

/** `doctor` */
export async function diagnose(session: BridgeSession, deadlineMs = DEADLINE_MS): Promise<ExitCode> {
  const { flags, screen, said, version } = session
  const results = await runChecks(CHECKS, createContext(session), deadlineMs, (error) => toFault(error).message)
  if (flags.json) {
    const engine = toPublicUrl(said.url)
    screen.printJson({ version, engine, ok: isWell(results), checks: results })
  } else {
    screen.print(formatResults(results, screen.columns))
  }
  if (isWell(results)) return EXIT.done
  return isWell(results.filter(({ check }) => check === engineCheck.name)) ? EXIT.failed : EXIT.unreachable
}

function isWell(results: readonly Result[]): boolean {
  return results.every(({ verdict }) => verdict !== 'problem')
}

/** Without an engine one line says so, and not each. */
function needingEngine(check: Check<DoctorContext>): Check<DoctorContext> {
  return {
    name: check.name,
    async run(context) {
      const isThere = await context.engine().then(
        () => true,
        (error: unknown) => {
          if (error instanceof CommandFailure) return false
          throw error
        },
      )
      return isThere ? check.run(context) : skipped('needs the engine')
    },
  }
}

function createContext(session: BridgeSession): DoctorContext {
  const engine = once(() => session.connect())
  const ask: DoctorContext['ask'] = async (functionId, payload) =>
    (await engine()).trigger({ function_id: functionId, payload, timeoutMs: ASK_MS })
  return { session, engine, ask, http: once(() => findHttpAddress(ask, session.said.url)) }
}

function once<T>(find: () => Promise<T>): () => Promise<T> {
  let found: Promise<T> | undefined
  return () => {
    found ??= find()
    return found
  }
}
