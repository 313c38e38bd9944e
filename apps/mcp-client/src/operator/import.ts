import { basename } from 'node:path'
import { CommandFailure, EXIT, type ExitCode } from '@iii/sdk/cli'
import { convertServers, type Import } from '../import/conversion.ts'
import { formatImport, toNote } from '../import/document.ts'
import { type ForeignFile, readForeignFile } from '../import/foreign-file.ts'
import type { ClientWork } from './session.ts'

/** `import FILE` */
export const importFile: ClientWork = async ({ operands, flags, screen }) => {
  const [path = ''] = operands
  const found = convertServers(read(path))
  const remarks = [...found.leftOut.flatMap(toReasons), ...found.servers.flatMap(toRefusals)]
  if (flags.json) {
    const servers = Object.fromEntries(found.servers.map(({ name, entry }) => [name, entry]))
    screen.printJson({ servers, left_out: found.leftOut, refused: found.servers.flatMap(toRefusals) })
  } else {
    screen.print(formatImport(found, basename(path)))
    for (const remark of remarks) screen.tell(remark)
  }
  return toExitCode(remarks)
}

function read(path: string): ForeignFile {
  try {
    const file = readForeignFile(path)
    if ('problem' in file) throw new CommandFailure(EXIT.usage, `${path}: ${file.problem}`)
    return file
  } catch (error) {
    if (error instanceof CommandFailure) throw error
    const { code = 'unknown error' } = error as NodeJS.ErrnoException
    const isMissing = code === 'ENOENT'
    const text = isMissing ? 'there is no such file' : `it cannot be read: ${code}`
    throw new CommandFailure(isMissing ? EXIT.missing : EXIT.usage, `${path}: ${text}`)
  }
}

function toReasons({ name, reasons }: Import['leftOut'][number]): string[] {
  return reasons.map((reason) => `left out: ${toNote(name)}: ${reason}`)
}

function toRefusals({ name, variables }: Import['servers'][number]): string[] {
  return [...variables].flatMap(([variable, { isRefused, note = '' }]) =>
    isRefused ? [`servers.${name}.env.set.${variable}: ${note}`] : [],
  )
}

function toExitCode(remarks: readonly string[]): ExitCode {
  return remarks.length === 0 ? EXIT.done : EXIT.failed
}
