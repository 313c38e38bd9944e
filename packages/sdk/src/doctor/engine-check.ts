import { z } from 'zod'
import { toPublicUrl } from '../engine-url.ts'
import { type Check, type Finding, ok, problem, warning } from './check.ts'
import type { DoctorContext } from './context.ts'

/** Is there an engine, and is it one that we know? */
export const engineCheck: Check<DoctorContext> = {
  name: 'engine',
  async run({ session, names, engine, ask }) {
    const where = toPublicUrl(session.said.url)
    try {
      await engine()
    } catch (error) {
      return judgeAbsence(error instanceof Error ? error.message : String(error))
    }
    const health = await ask('engine::health::check', {}).catch(() => undefined)
    return judgeVersion(Health.safeParse(health).data?.version, where, names.packageName)
  },
}

const Health = z.object({ version: z.unknown() })

/** What a command says of it ends in what to do. */
const ADVICE = /: (start it, or .*)$/
const OTHER_PROGRAM = [
  'what listens there is no engine, or it is its HTTP port:',
  'workers connect to the port of iii-worker-manager, which is 49134 unless the configuration of the engine says otherwise',
].join(' ')

function judgeAbsence(said: string): Finding {
  const advice = ADVICE.exec(said)?.[1]
  const summary = said.replace(ADVICE, '')
  // Something answered, and it was HTTP.
  const more = summary.includes('Unexpected server response') ? [OTHER_PROGRAM] : []
  return problem(summary, ...more, ...(advice === undefined ? [] : [advice]))
}

const OLDEST = [0, 22, 1] as const
/** The last line of releases that was looked at. */
const NEWEST_LINE = [0, 23] as const

function judgeVersion(version: unknown, where: string, packageName: string): Finding {
  const numbers = typeof version === 'string' ? /^(\d+)\.(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number) : undefined
  if (numbers === undefined) {
    return warning(
      `an engine answers at ${where}, and does not say its version`,
      `use engine ${OLDEST.join('.')} or newer`,
    )
  }
  const found = `engine ${String(version)} at ${where}`
  if (compare(numbers, OLDEST) < 0) {
    const oldest = OLDEST.join('.')
    return problem(`${found} is older than ${oldest}, the oldest that is supported`, `update it to ${oldest} or newer`)
  }
  if (compare(numbers.slice(0, 2), NEWEST_LINE) > 0) {
    return warning(
      `${found} is newer than ${NEWEST_LINE.join('.')}, the newest that was tested`,
      `look for a newer ${packageName}`,
    )
  }
  return ok(found)
}

function compare(a: readonly number[], b: readonly number[]): number {
  const at = b.findIndex((number, index) => number !== a[index])
  return at === -1 ? 0 : (a[at] ?? 0) - (b[at] ?? 0)
}
