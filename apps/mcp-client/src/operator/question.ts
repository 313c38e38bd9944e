import { createInterface } from 'node:readline/promises'

/** Asks a person at a terminal. @returns what they typed; nothing where they gave up with Ctrl-C or Ctrl-D */
export async function askPerson(
  question: string,
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
): Promise<string> {
  const lines = createInterface({ input, output, terminal: true })
  try {
    return await lines.question(question)
  } catch (error) {
    if (!(error instanceof Error && error.name === 'AbortError')) throw error
    output.write('\n')
    return ''
  } finally {
    lines.close()
  }
}
