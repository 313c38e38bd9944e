import { createHash } from 'node:crypto'

/** What came of a question. */
export type Answer<T> =
  /** `content` is what the client answered, checked; where `asked` is false it is the `default`, and nobody was asked. */
  | { readonly action: 'accept'; readonly content: T; readonly asked: boolean }
  /** The person said no (`decline`), or closed the question without an answer (`cancel`). */
  | { readonly action: 'decline' | 'cancel' }

/** How a question is asked. */
export interface AskOptions<T> {
  /**
   * Its name among the questions of this function, of `A-Z a-z 0-9 _ . -`. An answer belongs to the question that was asked: without a
   * key a question whose text has changed by the next run is asked anew, with one its answer counts whatever the text has become.
   *
   * @default made of the question
   */
  key?: string | undefined
  /**
   * The content where nobody can be asked: the function was called by a worker and not through MCP, or the client cannot be asked this.
   * Not used when a person declines.
   */
  default?: T | undefined
}

/** A question to the client, and how its answer is read. */
export interface Question<T> {
  readonly kind: 'form' | 'sample' | 'roots'
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
  /** In a few words, for errors: `the question "Go on?"`. */
  readonly label: string
  /** The capability that a client declares when it can be asked this. */
  readonly capability: string
  isDeclared(capabilities: Readonly<Record<string, unknown>>): boolean
  /** The params of asking again, after an answer that does not fit. */
  repeat(problem: string): Readonly<Record<string, unknown>>
  read(answer: unknown): Promise<AnswerReading<T>>
}

/** An answer that was understood, or why it was not. */
export type AnswerReading<T> = { readonly answer: Answer<T> } | { readonly problem: string }

/** The name of a question that was given none: the same question has the same one in each run. */
export function toQuestionKey({ kind, method, params }: Question<unknown>): string {
  const text = JSON.stringify([method, params])
  return `${kind}-${createHash('sha256').update(text).digest('hex').slice(0, 12)}`
}
