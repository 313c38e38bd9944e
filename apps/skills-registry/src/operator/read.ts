import { explainFetchAddress, toFault } from '@iii/protocol'
import { CommandFailure, EXIT, formatCount, type Screen } from '@iii/sdk/cli'
import type { RegistryWork } from './session.ts'

/** `read ID`: the body byte for byte, without a line end of ours; on a terminal, what it shows. Addresses are read too, also of files. */
export const printSkill: RegistryWork = async ({ operands: [name = ''], flags, screen, connect }) => {
  const uri = name.includes('://') ? name : `iii://${name}`
  const problem = explainFetchAddress(uri)
  if (problem !== undefined) throw new CommandFailure(EXIT.usage, problem)
  const remote = await connect()
  const contents = await remote.read(uri).catch((error: unknown) => {
    const fault = toFault(error)
    const isMissing = fault.code === 'not_found' || fault.code === 'unavailable'
    throw isMissing ? new CommandFailure(EXIT.missing, fault.message) : error
  })
  if (flags.json) screen.printJson({ contents })
  for (const content of flags.json ? [] : contents) printContent(screen, content)
  return EXIT.done
}

function printContent(screen: Screen, { text, blob, mimeType }: Readonly<Record<string, unknown>>): void {
  const bytes = Buffer.from(String(blob), 'base64')
  if (typeof text === 'string') screen.printText(text)
  else if (!screen.isTerminal) screen.print(bytes)
  else
    screen.tell(
      `${mimeType ?? 'no text'}, ${formatCount(bytes.length, 'byte')}: not for a terminal; put > FILE behind the command`,
    )
}
