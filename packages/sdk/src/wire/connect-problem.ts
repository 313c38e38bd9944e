import { isOutOfFiles, RAISE_OPEN_FILES } from '../open-files.ts'

/** Why a connection could not be made, in words for whoever wrote the address: those of OpenSSL say where it was built. */
export function toConnectProblem({ message, code, name, syscall, hostname }: ConnectError): string {
  if (code === 'EPROTO' && message.includes('wrong version number')) return NO_TLS
  if (syscall === 'getaddrinfo') return `the name ${hostname} was not resolved (${code})`
  return message || code || name
}

type ConnectError = Error & { code?: string; syscall?: string; hostname?: string }

const NO_TLS = 'no TLS is spoken there: write ws:// in place of wss://'

/** What may be wrong where something answered that is no engine, or showed a certificate that counts for nothing here, or nothing was asked. */
export function adviseOnProblem(problem: string): string {
  const status = ANSWERED.exec(problem)?.[1]
  if (status !== undefined) return `. ${ON_STATUS[status] ?? OTHER_PROGRAM}`
  if (NO_HTTP.test(problem)) return `. ${OTHER_PROGRAM}`
  if (isOutOfFiles(problem)) return `. ${RAISE_OPEN_FILES}`
  return UNKNOWN_ISSUER.test(problem) ? `. ${OWN_ISSUER}` : ''
}

const ANSWERED = /Unexpected server response: (\d+)/
const NO_HTTP = /^Parse Error: /
const OTHER_PROGRAM = [
  'What listens there is no engine, or it is its HTTP port:',
  'workers and commands connect to the port of iii-worker-manager, which is 49134 unless the configuration of the engine says otherwise',
].join(' ')
const NOBODY_BEHIND =
  'A proxy answers there and gets nothing from what is behind it: see that the engine runs, and that the proxy leads to it'
const NOT_LET_IN =
  'What answers there lets in who says a name and a password that it knows: ws://NAME:PASSWORD@HOST:PORT'
const ELSEWHERE =
  'What answers there leads to another address, which is not followed: name that one, wss:// for https://'
const ON_STATUS: Readonly<Record<string, string>> = {
  ...{ 301: ELSEWHERE, 302: ELSEWHERE, 307: ELSEWHERE, 308: ELSEWHERE },
  400: 'What answers there takes no WebSocket: where TLS is spoken, write wss:// in place of ws://, and a proxy has to hand the header Upgrade on',
  ...{ 401: NOT_LET_IN, 403: NOT_LET_IN },
  ...{ 502: NOBODY_BEHIND, 503: NOBODY_BEHIND, 504: NOBODY_BEHIND },
}

const UNKNOWN_ISSUER = /unable to (?:verify the first|get (?:local )?issuer) certificate|self[- ]signed certificate/
const OWN_ISSUER =
  "A certificate of a company's own needs NODE_EXTRA_CA_CERTS, a file with its issuer, in the environment of this program"

/** Why a connection is over that the engine has ended. */
export function toCloseText(code: number, reason: Buffer): string {
  const words = reason.toString()
  return `the engine closed the connection (${code}${words === '' ? '' : `, ${words}`})`
}
