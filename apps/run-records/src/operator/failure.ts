import { type FaultCode, toFault } from '@iii/protocol'
import { InvocationError } from '@iii/sdk'
import { CommandFailure, EXIT, type ExitCode } from '@iii/sdk/cli'
import { lacksState, NO_STATE } from '../store/no-state.ts'
import type { RunsWork } from './session.ts'

/** What a command ends with for what the modules refuse; a tool says the same in words. */
const CODES: Readonly<Partial<Record<FaultCode, ExitCode>>> = {
  invalid_input: EXIT.usage,
  not_found: EXIT.missing,
}

/** Gives a command the exit codes that are promised. */
export function withExitCodes(work: RunsWork): RunsWork {
  return async (session) => {
    try {
      return await work(session)
    } catch (error) {
      throw toFailure(error) ?? error
    }
  }
}

/** @returns undefined for what has no code of its own, and is told as in all programs */
function toFailure(error: unknown): CommandFailure | undefined {
  if (error instanceof CommandFailure) return error
  if (error instanceof InvocationError) {
    if (lacksState(error)) return new CommandFailure(EXIT.unreachable, NO_STATE)
    if (error.code === 'connection_lost' || error.code === 'closed') {
      return new CommandFailure(EXIT.unreachable, 'the connection to the engine is lost')
    }
  }
  const fault = toFault(error)
  const code = CODES[fault.code]
  return code === undefined ? undefined : new CommandFailure(code, fault.message)
}
