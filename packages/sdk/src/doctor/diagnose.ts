import { toFault } from '@iii/protocol'
import { CommandFailure, EXIT, type ExitCode } from '../commands/exit-code.ts'
import { toPublicUrl } from '../engine/url.ts'
import { type Check, type Result, runChecks, skipped } from './check.ts'
import { createDoctorContext, type DoctorContext, type DoctorNames, type DoctorSession } from './context.ts'
import { engineCheck } from './engine-check.ts'
import { configurationCheck, environmentCheck, nodeCheck } from './local-checks.ts'
import { formatResults } from './report.ts'

export interface DoctorOptions<S extends DoctorSession> extends DoctorNames {
  /** What is looked at beside Node, configuration and engine; all of it needs the engine. */
  readonly checks: readonly Check<DoctorContext<S>>[]
  /** What can be looked at without an engine. */
  readonly localChecks?: readonly Check<DoctorContext<S>>[] | undefined
  /** For each check: longer than an engine may take to greet us and to answer one question. @default 10000 */
  readonly deadlineMs?: number
}

/**
 * The command `doctor` of a worker's program: looks at everything side by side, says what it found and what to do, and changes nothing.
 *
 * @returns 0 when there is no problem, 4 without an engine, else 1
 */
export async function diagnose<S extends DoctorSession>(session: S, options: DoctorOptions<S>): Promise<ExitCode> {
  const { flags, screen, said, version } = session
  const { checks, localChecks = [], deadlineMs = 10_000 } = options
  const all = [
    nodeCheck,
    configurationCheck,
    environmentCheck,
    engineCheck,
    ...localChecks,
    ...checks.map(needingEngine),
  ]
  const context = createDoctorContext(session, options)
  const results = await runWatched(all, context, deadlineMs)
  if (flags.json) {
    const engine = toPublicUrl(said.url)
    screen.printJson({ version, engine, ok: isWell(results), checks: results })
  } else {
    screen.print(formatResults(results, screen.columns, screen.paint))
  }
  if (isWell(results)) return EXIT.done
  return context.engine().then(
    () => EXIT.failed,
    () => EXIT.unreachable,
  )
}

/** Says on a terminal what it waits for: an engine that does not answer takes seconds. */
async function runWatched<S extends DoctorSession>(
  checks: readonly Check<DoctorContext<S>>[],
  context: DoctorContext<S>,
  deadlineMs: number,
): Promise<Result[]> {
  const { said, screen } = context.session
  const pending = new Set(checks.map(({ name }) => name))
  const watched = checks.map((check) => ({
    ...check,
    run: () => check.run(context).finally(() => pending.delete(check.name)),
  }))
  const connecting = `connecting to ${toPublicUrl(said.url)}`
  const waiting = screen.wait(() =>
    pending.has(engineCheck.name) ? connecting : `checking ${[...pending].join(', ')}`,
  )
  try {
    return await runChecks(watched, context, deadlineMs, (error) => toFault(error).message)
  } finally {
    waiting.end()
  }
}

function isWell(results: readonly Result[]): boolean {
  return results.every(({ verdict }) => verdict !== 'problem')
}

/** Without an engine one line says so, and not each. */
function needingEngine<S extends DoctorSession>(check: Check<DoctorContext<S>>): Check<DoctorContext<S>> {
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
