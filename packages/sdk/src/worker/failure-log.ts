import { FAULT_CODES, Fault, isFaultCode } from '@iii/protocol'
import type { Logger } from '../log.ts'
import { hintNearest } from '../suggestions/suggestion.ts'

/**
 * Logs what a handler has thrown: whoever runs this worker may see what callers do not. Of a Fault whose code there is not it tells once, since
 * whoever writes plain JavaScript hears of it from nobody else.
 */
export function createFailureLog(log: Pick<Logger, 'debug' | 'warn'>): (functionId: string, error: unknown) => void {
  let hasWarned = false
  return (functionId, error) => {
    if (!(error instanceof Fault)) log.debug({ function_id: functionId, err: error }, 'a handler failed')
    else if (!(hasWarned || isFaultCode(error.code))) {
      hasWarned = true
      log.warn({ function_id: functionId }, toCodeWarning(String(error.code)))
    }
  }
}

function toCodeWarning(code: string): string {
  const what = `a Fault has the code '${code}', which is none of ${FAULT_CODES.join(', ')}`
  return `${what}${hintNearest(code, FAULT_CODES)} (callers read it as internal; this is said once)`
}
