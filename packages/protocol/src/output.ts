import { PromptMessage, toAcceptable } from './content-block.ts'
import { Fault } from './fault.ts'
import { isRecord, readOwn, toPrettyJsonText, toWellFormedJson } from './json.ts'

/** What a section serves. */
export interface SectionContent {
  text: string
  mimeType: string
}

/**
 * Turns what the function of a section (`iii://fn/…`) returned into its content: a string and the string `content` of an object are
 * markdown, `{ text, mimeType }` is taken as it is, anything else is pretty JSON. Never throws; texts are well-formed.
 *
 * @example
 * toSectionContent({ content: '# Health' }) // { text: '# Health', mimeType: 'text/markdown' }
 */
export function toSectionContent(value: unknown): SectionContent {
  const markdown = readText(value)
  if (markdown !== undefined) return { text: markdown, mimeType: 'text/markdown' }
  if (isRecord(value)) {
    const text = readOwn(value, 'text')
    const mimeType = readOwn(value, 'mimeType')
    if (typeof text === 'string' && typeof mimeType === 'string') {
      return { text: text.toWellFormed(), mimeType: mimeType.toWellFormed() }
    }
  }
  return { text: toPrettyJsonText(value) ?? 'null', mimeType: 'application/json' }
}

/**
 * Turns what the handler of a prompt returned into messages: `messages` passes as it is (a message whose content is a bare string
 * gets a text block), a string and the string `content` of an object become one message of the user.
 *
 * @throws Fault `internal` for any other shape.
 *
 * @example
 * toPromptMessages('Refund it.') // [{ role: 'user', content: { type: 'text', text: 'Refund it.' } }]
 */
export function toPromptMessages(value: unknown): PromptMessage[] {
  const messages = isRecord(value) ? readOwn(value, 'messages') : undefined
  if (Array.isArray(messages)) return messages.map(toMessage)
  const text = readText(value)
  if (text === undefined) throw new Fault('internal', unsupported)
  return [{ role: 'user', content: { type: 'text', text } }]
}

const unsupported = 'prompt handler returned unsupported shape; expected string, { content }, or { messages: [...] }'

function toMessage(message: unknown, index: number): PromptMessage {
  const content = isRecord(message) ? readOwn(message, 'content') : undefined
  const whole =
    typeof content === 'string' ? { ...(message as object), content: { type: 'text', text: content } } : message
  const mended = toWellFormedJson(whole)
  const { data } = PromptMessage.safeParse(mended)
  if (data !== undefined) return { ...data, content: toAcceptable(data.content) }
  throw new Fault(
    'internal',
    `${unsupported}: message ${index + 1} needs a role (user, assistant) and an MCP content block`,
  )
}

function readText(value: unknown): string | undefined {
  const text = isRecord(value) ? readOwn(value, 'content') : value
  return typeof text === 'string' ? text.toWellFormed() : undefined
}
