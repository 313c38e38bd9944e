import { toFault } from '@iii/protocol'
import {
  type Check,
  createDoctorContext,
  createNamesCheck,
  createNamespaceCheck,
  type DoctorContext,
  type DoctorSession,
  EXIT,
  environmentCheck,
  formatResults,
  runChecks,
  spansCheck,
} from '@iii/sdk/cli'
import { RUN_JOB } from '../contracts/run-job.ts'
import { toVerdict } from '../inspection/checks.ts'
import { INSPECTIONS } from '../inspection/inspection.ts'
import { askInspection, showResult } from './inspect.ts'
import type { RunsWork } from './session.ts'

/** What is around the worker, for an operator alone: the tool looks at what it keeps and runs. */
const SURROUNDINGS: readonly Check<DoctorContext<Pick<DoctorSession, 'said'>>>[] = [
  environmentCheck,
  spansCheck,
  createNamesCheck({
    workerName: 'runs',
    functionIds: () => [...Object.values(INSPECTIONS).map(({ id }) => id), RUN_JOB],
  }),
  createNamespaceCheck(),
]

const NAMES = { program: 'iii-runs', packageName: '@iii/runs', noun: "worker 'runs'" }

/** For each check: longer than an engine may take to answer one question. */
const CHECK_MS = 5_000

/** `doctor` */
export const doctor: RunsWork = async (session) => {
  const connect = async () => (await session.connect()).worker
  const context = createDoctorContext({ said: session.said, connect }, NAMES)
  const [{ left_out, checks: kept }, around] = await Promise.all([
    askInspection(session, 'doctor', {}),
    runChecks(SURROUNDINGS, context, CHECK_MS, (error) => toFault(error).message),
  ])
  const checks = [...kept, ...around.map((check) => ({ ...check, advice: [...check.advice] }))]
  const verdict = toVerdict(checks)
  showResult(session, { verdict, checks, left_out }, (found, width) =>
    formatResults(found.checks, width, session.screen.paint),
  )
  return verdict === 'problem' ? EXIT.failed : EXIT.done
}
