import type { SentMessage } from '../raw-client.ts'
import type { SoakClient } from './http-clients.ts'
import type { CallVerdict } from './ledger.ts'
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
  run(client: SoakClient, random: Random): Promise<CallVerdict>
}

export const RIGHT: CallVerdict = { outcome: 'right' }
export const toWrong = (text: string): CallVerdict => ({ outcome: 'wrong', text })
export const refused = (text: string): CallVerdict => ({ outcome: 'refused', text })

/** What a tool answered, as text; or what it was refused with. */
export function readTool({ result, error }: SentMessage): { readonly text: string; readonly isError: boolean } {
  if (error !== undefined) return { text: `${error.code} ${error.message}`, isError: true }
  return { text: JSON.stringify(result ?? null), isError: result?.['isError'] === true }
}

/** Right when the answer has this in it, and no other answer could. */
export function judgeTool(message: SentMessage, token: string): CallVerdict {
  const { text, isError } = readTool(message)
  if (isError) return refused(text)
  return text.includes(token) ? RIGHT : toWrong(`no ${token} in ${text}`)
}
