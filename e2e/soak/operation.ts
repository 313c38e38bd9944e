import type { Message } from '../raw-client.ts'
import type { SoakClient } from './http-clients.ts'
import type { Verdict } from './ledger.ts'
import type { Random } from './random.ts'

/** Something that a client or worker does again and again, and knows the right answer to. */
export interface Operation {
  readonly name: string
  /** How often, compared to the others. */
  readonly weight: number
  /** The process that it is for. When that one was away, or had only just come, a refusal is what is right. */
  readonly member?: string
  /** Whether that worker is on another SDK, whose replies the engine may lose. */
  readonly isForeign?: boolean
  run(client: SoakClient, random: Random): Promise<Verdict>
}

export const RIGHT: Verdict = { outcome: 'right' }
export const wrong = (text: string): Verdict => ({ outcome: 'wrong', text })
export const refused = (text: string): Verdict => ({ outcome: 'refused', text })

/** What a tool answered, as text; or what it was refused with. */
export function readTool({ result, error }: Message): { readonly text: string; readonly isError: boolean } {
  if (error !== undefined) return { text: `${error.code} ${error.message}`, isError: true }
  return { text: JSON.stringify(result ?? null), isError: result?.['isError'] === true }
}

/** Right when the answer has this in it, and no other answer could. */
export function judgeTool(message: Message, token: string): Verdict {
  const { text, isError } = readTool(message)
  if (isError) return refused(text)
  return text.includes(token) ? RIGHT : wrong(`no ${token} in ${text}`)
}
