import { Fault } from '@iii/protocol'
import type { Memory } from './memory.ts'
import { type Answer, type Question, toQuestionKey } from './question.ts'

/** The answers that a run knows: those of the last round, and those of earlier ones. */
export interface Answers {
  /** Names a question of this run; the same one in the same place has the same name in each run. */
  nameOf(question: Question<unknown>, key: string | undefined): string
  has(name: string): boolean
  /** The answer, or why the one that came does not fit. */
  read<T>(question: Question<T>, name: string): Promise<Answer<T> | { problem: string }>
}

const KEY = /^[\w.-]{1,64}$/

/**
 * @param responses of the last round, by the names of the questions; whatever nobody asked for is not looked at.
 * @param memory of earlier rounds; answers that fit are added to it.
 */
export function createAnswers(responses: Readonly<Record<string, unknown>>, memory: Memory): Answers {
  const asked = new Map<string, number>()

  return {
    nameOf(question, key) {
      if (key !== undefined && !KEY.test(key)) {
        throw new Fault('internal', `The key "${key}" of ${question.label} must be 1 to 64 of A-Z a-z 0-9 _ . -`)
      }
      const name = key ?? toQuestionKey(question)
      const nth = (asked.get(name) ?? 0) + 1
      asked.set(name, nth)
      return nth === 1 ? name : `${name}#${nth}`
    },
    has: (name) => Object.hasOwn(responses, name) || memory.answers.has(name),
    async read(question, name) {
      const raw = Object.hasOwn(responses, name) ? responses[name] : memory.answers.get(name)
      const reading = await question.read(raw)
      if ('problem' in reading) return reading
      memory.answers.set(name, raw)
      return reading.answer
    },
  }
}
