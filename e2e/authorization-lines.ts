import { connect } from 'node:net'

/** Headers Authorization as no client of HTTP would send them, byte by byte. */

/** Bytes that are no UTF-8, each of them one character here. */
export const NO_TEXT = '\u00ff\u00fe\u0080'

/** What the headers are made of. */
export interface LineTokens {
  /** One that is let in. */
  readonly good: string
  readonly wrong: string
  /** One of more than eight KiB, whatever else it is. */
  readonly long: string
}

/** The values of the header that are each a bad token, one line for each. */
export function toBadLines({ good, wrong, long }: LineTokens): Readonly<Record<string, readonly string[]>> {
  return {
    'a token that is not ours': [`Bearer ${wrong}`],
    'nothing at all': [''],
    'no token': ['Bearer'],
    'blanks for a token': ['Bearer    '],
    'a token alone': [good],
    'another scheme': [`Basic ${Buffer.from(`${good}:`).toString('base64')}`],
    'more behind the token': [`Bearer ${good} x`],
    'two tokens in one': [`Bearer ${good}, Bearer ${good}`],
    'two headers with the same wrong token': [`Bearer ${wrong}`, `Bearer ${wrong}`],
    'two headers, the last of them wrong': [`Bearer ${good}`, `Bearer ${wrong}`],
    'two headers, the last of them empty': [`Bearer ${good}`, ''],
    'eight KiB of a token': [`Bearer ${long}`],
    'bytes that are no text for a token': [`Bearer ${NO_TEXT}`],
    'bytes that are no text behind the token': [`Bearer ${good}${NO_TEXT}`],
    'bytes that are no text for a scheme': [`${NO_TEXT} ${good}`],
  }
}

/** A reply, with all lines of its head but the date. */
export interface LineReply {
  readonly head: readonly string[]
  readonly body: string
}

/** Calls a tool with these headers. */
export async function callWithLines(url: string, name: string, lines: readonly string[]): Promise<LineReply> {
  const { hostname, port, host, pathname } = new URL(url)
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } })
  const head = [
    `POST ${pathname} HTTP/1.1`,
    `host: ${host}`,
    'connection: close',
    'content-type: application/json',
    `content-length: ${body.length}`,
    ...lines.map((line) => `authorization: ${line}`),
  ]
  const socket = connect({ host: hostname, port: Number(port) })
  socket.write(Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`, 'latin1'))
  const chunks: Buffer[] = []
  for await (const chunk of socket) chunks.push(chunk as Buffer)
  const [heads = '', ...rest] = Buffer.concat(chunks).toString('latin1').split('\r\n\r\n')
  return { head: heads.split('\r\n').filter((line) => !/^date:/i.test(line)), body: rest.join('\r\n\r\n') }
}
