import { messageOf } from '../engine/message-of.ts'
import { toPublicUrl } from '../engine/url.ts'
import { askEngineVersion, explainUnsupported, SUPPORTED_ENGINES } from '../engine/version.ts'
import { type Check, type Finding, ok, problem, warning } from './check.ts'
import type { DoctorContext } from './context.ts'

/** Is there an engine, and is it one that we know? */
export const engineCheck: Check<DoctorContext> = {
  name: 'engine',
  async run({ session, engine }) {
    const where = toPublicUrl(session.said.url)
    try {
      return judgeVersion(await askEngineVersion(await engine()), where)
    } catch (error) {
      return judgeAbsence(messageOf(error))
    }
  },
}

/** What a command says of it ends in what to do, and in what else may be there. */
const ADVICE = /: (start it, or .*?III_URL)(?:\. (.*))?$/

function judgeAbsence(said: string): Finding {
  const [, advice, hint] = ADVICE.exec(said) ?? []
  return problem(said.replace(ADVICE, ''), ...[hint, advice].filter((line) => line !== undefined))
}

function judgeVersion(version: string | undefined, where: string): Finding {
  const advice = `use engine ${SUPPORTED_ENGINES}`
  if (version === undefined) return warning(`an engine answers at ${where}, and does not say its version`, advice)
  const found = `engine ${version} at ${where}`
  const reason = explainUnsupported(version)
  return reason === undefined ? ok(found) : problem(`${found} ${reason}`, advice)
}
