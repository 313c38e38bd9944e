import { CommandFailure, EXIT } from '@iii/sdk/cli'

/** A terminal that somebody types at. */
export interface TypedInput extends AsyncIterable<unknown> {
  setRawMode(isRaw: boolean): unknown
}

const ENDS: readonly string[] = ['\r', '\n', '\u0004']
const ERASES: readonly string[] = ['\u007f', '\b']
const INTERRUPT = '\u0003'

/**
 * Reads a line without showing it: neither the screen nor what scrolled away has it afterwards.
 *
 * @param tell writes beside it, where no program reads what comes of it
 * @throws CommandFailure for Ctrl+C
 */
export async function readHidden(input: TypedInput, tell: (text: string) => void): Promise<string> {
  let typed = ''
  input.setRawMode(true)
  try {
    // Not before: a paste may follow at once.
    tell('Token (it is not shown): ')
    for await (const key of toKeys(input)) {
      if (ENDS.includes(key)) return typed
      if (key === INTERRUPT) throw new CommandFailure(EXIT.failed, 'given up; nothing was done')
      typed = ERASES.includes(key) ? typed.slice(0, -1) : typed + key
    }
    return typed
  } finally {
    input.setRawMode(false)
    tell('\n')
  }
}

/** What is pasted comes at once. */
async function* toKeys(input: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const chunk of input) yield* String(chunk)
}
