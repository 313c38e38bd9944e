import type { ElicitRequest, ElicitResult } from '@modelcontextprotocol/client'
import { signal } from '@preact/signals'

/** A question of a function, until it is answered. */
export interface OpenQuestion {
  readonly seq: number
  readonly params: ElicitRequest['params']
  answer(result: ElicitResult): void
}

/** Those that wait for an answer, the oldest first. */
export const questions = signal<readonly OpenQuestion[]>([])

let seq = 0

/** @param signal when nobody waits for the answer any more, the question goes */
export function ask(params: ElicitRequest['params'], gone?: AbortSignal): Promise<ElicitResult> {
  return new Promise((resolve) => {
    seq += 1
    const question: OpenQuestion = {
      seq,
      params,
      answer(result) {
        questions.value = questions.value.filter((each) => each !== question)
        resolve(result)
      },
    }
    questions.value = [...questions.value, question]
    gone?.addEventListener('abort', () => question.answer({ action: 'cancel' }))
  })
}

/** Takes all questions away: who asked them is gone. */
export function dropQuestions(): void {
  for (const question of questions.value) question.answer({ action: 'cancel' })
}
