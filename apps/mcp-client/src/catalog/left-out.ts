import { toTitle } from '@iii/protocol'
import type { Diagnostic } from '../diagnostics/diagnostic.ts'

/** So many tools that are left out are named. */
const MAX_NAMED = 50

/**
 * @param name as the server gives it; empty for a tool without one
 * @param problem goes on after the name
 */
export function leaveOut(name: string, problem: string): Diagnostic {
  const subject = toTitle(name)
  const called = subject === undefined ? 'a tool' : `the tool ${JSON.stringify(subject)}`
  return { code: 'tool_left_out', message: `${called} ${problem}`, ...(subject === undefined ? {} : { subject }) }
}

/** A list of thousands of malformed tools is one fault of one server. */
export function boundDiagnostics(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const more = diagnostics.length - MAX_NAMED
  if (more <= 0) return diagnostics
  const rest: Diagnostic = { code: 'tool_left_out', message: `${more} more tools are left out for reasons like these` }
  return [...diagnostics.slice(0, MAX_NAMED), rest]
}
