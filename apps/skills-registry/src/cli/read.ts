import { explainUri, toFault } from '@iii/protocol'
import { CommandFailure, EXIT } from '@iii/sdk'
import type { Work } from './session.ts'

/** `read ID`: the body byte for byte, without a line end of ours. */
export const readSkill: Work = async ({ operands: [name = ''], flags, screen, connect }) => {
  const uri = name.startsWith('iii://') ? name : `iii://${name}`
  const problem = explainUri(uri)
  if (problem !== undefined) throw new CommandFailure(EXIT.usage, problem)
  const remote = await connect()
  const contents = await remote.read(uri).catch((error: unknown) => {
    const fault = toFault(error)
    const isMissing = fault.code === 'not_found' || fault.code === 'unavailable'
    throw isMissing ? new CommandFailure(EXIT.missing, fault.message) : error
  })
  if (flags.json) screen.print(`${JSON.stringify({ contents }, null, 2)}\n`)
  for (const content of flags.json ? [] : contents) screen.print(toBody(content))
  return EXIT.done
}

function toBody(content: Readonly<Record<string, unknown>>): string | Buffer {
  const { text, blob } = content
  return typeof text === 'string' ? text : Buffer.from(String(blob), 'base64')
}
