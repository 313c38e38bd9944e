/** Why a connection could not be made, in words for whoever wrote the address: those of OpenSSL say where it was built. */
export function toConnectProblem({ message, code, name }: Error & { code?: string }): string {
  if (code === 'EPROTO' && message.includes('wrong version number')) return NO_TLS
  return message || code || name
}

const NO_TLS = 'no TLS is spoken there: write ws:// in place of wss://'

/** What may be wrong with the address where something answered, and it was HTTP. */
export function adviseOnAnswer(problem: string): string {
  return problem.includes('Unexpected server response') ? `. ${OTHER_PROGRAM}` : ''
}

const OTHER_PROGRAM = [
  'What listens there is no engine, or it is its HTTP port:',
  'workers and commands connect to the port of iii-worker-manager, which is 49134 unless the configuration of the engine says otherwise',
].join(' ')

/** Why a connection is over that the engine has ended. */
export function toCloseText(code: number, reason: Buffer): string {
  const words = reason.toString()
  return `the engine closed the connection (${code}${words === '' ? '' : `, ${words}`})`
}
