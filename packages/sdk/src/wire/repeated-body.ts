import { MAX_FRAME_BYTES, writeJson } from './json-text.ts'
import { type MessagePieces, toPieces } from './outgoing.ts'

/** A reply to an HTTP request whose body is a long text. */
export type LongReply = Readonly<Record<string, unknown>> & { readonly body: string }

/** So many lengths are known, those that were said last, and so long may the texts of them be together, in UTF-16 units. */
const MOST = { lengths: 8, kept: 2 * 1024 * 1024 }
/** What tells a reply from the next one, such as the id of its request, stands before this. */
const HEAD_LENGTH = 512

interface Kept {
  readonly text: string
  /** The inside of its JSON string, once it was said again. */
  json: Buffer | undefined
}

/** Writes replies whose bodies are the same again and again but for what they begin with: the rest is escaped and encoded once. */
export interface RepeatedBodies {
  /**
   * The JSON text of a reply between two others, in bytes that are not copied. Undefined for one that has to be written as any other.
   *
   * @throws Fault as {@link writeJson}
   */
  write(before: string, reply: LongReply, after: string, what: string): MessagePieces | undefined
}

export function createRepeatedBodies(): RepeatedBodies {
  // By their lengths, since texts that differ nearly always differ in that. A text is kept when its length comes a second time.
  const known = new Map<number, Kept | undefined>()

  function keep(length: number, entry: Kept | undefined): void {
    known.delete(length)
    known.set(length, entry)
    const [oldest] = known.keys()
    if (oldest !== undefined && known.size > MOST.lengths) known.delete(oldest)
    if (toTotal(known) <= MOST.kept) return
    known.clear()
    known.set(length, entry)
  }

  return {
    write(before, { body, ...others }, after, what) {
      const cut = toCut(body)
      const text = body.slice(cut)
      const kept = known.get(text.length)
      if (kept?.text !== text) {
        keep(text.length, known.has(text.length) ? { text, json: undefined } : undefined)
        return undefined
      }
      kept.json ??= Buffer.from(toInside(text, what))
      const members = writeJson(others, what)?.slice(1, -1) ?? ''
      const head = `${before}{${members}${members === '' ? '' : ','}"body":"${toInside(body.slice(0, cut), what)}`
      return join(head, kept.json, `"}${after}`)
    },
  }
}

function toTotal(known: ReadonlyMap<number, Kept | undefined>): number {
  return [...known.values()].reduce((sum, kept) => sum + (kept?.text.length ?? 0), 0)
}

/** Where the rest begins: never between the halves of one character. */
function toCut(body: string): number {
  return (body.codePointAt(HEAD_LENGTH - 1) ?? 0) > 0xffff ? HEAD_LENGTH + 1 : HEAD_LENGTH
}

/** A text as it stands between the quotes of a JSON string. */
function toInside(text: string, what: string): string {
  return writeJson(text, what)?.slice(1, -1) ?? ''
}

/** @returns undefined for a frame that the engine does not read */
function join(head: string, json: Buffer, tail: string): MessagePieces | undefined {
  const message = toPieces([Buffer.from(head), json, Buffer.from(tail)])
  return message.length > MAX_FRAME_BYTES ? undefined : message
}
