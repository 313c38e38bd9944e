import type { TaskDirectory } from './directory.ts'

/** A task directory whose lists may be a second old. */
export interface FreshDirectory extends Omit<TaskDirectory, 'list'> {
  /** @param naming ids that somebody asks about; that one is missing is never remembered */
  list(naming?: readonly string[]): ReturnType<TaskDirectory['list']>
}

/** Elsewhere, too, functions are known for a second. */
const FRESH_MS = 1_000

/** Spares the engine to list thousands of functions with every look. Single ones are asked about each time. */
export function createFreshDirectory(
  { list, define, triggers }: TaskDirectory,
  now: () => number = () => performance.now(),
): FreshDirectory {
  const lists = shareAnswers(list, now)
  return {
    async list(naming = []) {
      const known = await lists.ask()
      return naming.every((id) => known.has(id)) ? known : await lists.askAnew()
    },
    define,
    triggers: shareAnswers(triggers, now).ask,
  }
}

/** One question for all who ask within a second, counted from when it was asked: what it tells may have changed on the way. */
function shareAnswers<T>(question: () => Promise<T>, now: () => number) {
  let last: { readonly askedAt: number; readonly answer: Promise<T> } | undefined

  function askAnew(): Promise<T> {
    const asked = { askedAt: now(), answer: question() }
    last = asked
    asked.answer.catch(() => {
      if (last === asked) last = undefined
    })
    return asked.answer
  }

  const isFresh = () => last !== undefined && now() - last.askedAt <= FRESH_MS
  return { ask: () => (last !== undefined && isFresh() ? last.answer : askAnew()), askAnew }
}
