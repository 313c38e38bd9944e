import { isRecord } from '@iii/protocol'

/** What has to be a text in a row of a list, where it is there at all. */
const TEXTS = ['title', 'description', 'mimeType'] as const

/**
 * Can clients read this row of a list? Whoever serves in the place of the registry may answer anything, and official clients refuse a whole
 * list for one row, with what others have in it.
 *
 * @param address what a row must have beside its name
 */
export function isListable(row: object, address?: 'uri' | 'uriTemplate'): boolean {
  const members: Readonly<Record<string, unknown>> = { ...row }
  const has = (name: string) => typeof members[name] === 'string'
  return has('name') && (address === undefined || has(address)) && TEXTS.every((name) => !(name in row) || has(name))
}

/** Is it a part of what `resources/read` answers? */
export function isContents(part: unknown): boolean {
  if (!isRecord(part) || typeof part['uri'] !== 'string') return false
  return typeof part['text'] === 'string' || typeof part['blob'] === 'string'
}

/** Is it a message of a prompt? What its block is about is the registry's to say. */
export function isPromptMessage(message: unknown): boolean {
  if (!isRecord(message) || !isRecord(message['content'])) return false
  return ['user', 'assistant'].includes(String(message['role'])) && typeof message['content']['type'] === 'string'
}
