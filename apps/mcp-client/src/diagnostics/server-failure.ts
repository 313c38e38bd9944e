import type { Code, Diagnostic } from './diagnostic.ts'

/** Something with a server did not come about, for a reason that people are told. */
export class ServerFailure extends Error {
  readonly diagnostic: Diagnostic

  constructor(code: Code, message: string, subject?: string) {
    super(message)
    this.diagnostic = { code, message, ...(subject === undefined ? {} : { subject }) }
  }
}
