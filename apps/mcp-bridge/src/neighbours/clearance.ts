/**
 * What is known of the other bridges at the path of this one, for whoever answers callers while the settings say nothing of who may ask. It is
 * read for each request, so these are values and no questions.
 */
export interface Clearance {
  /** Why nobody is answered; undefined: they are answered. */
  readonly shut: string | undefined
  /** Resolves as soon as `shut` is right, or as finding that out has taken too long; undefined where nothing is waited for. */
  readonly pending: Promise<void> | undefined
}

/** Keeps what a watch finds out. */
export interface ClearanceKeeper {
  readonly now: Clearance
  /** How often everything was forgotten: what was asked before that tells nothing. */
  readonly forgotten: number
  /** Nothing is known any more: the path is another, or the engine has to come back. Callers wait. */
  forget(): void
  /** From now on it can be found out, and callers wait no longer than that should take. */
  begin(): void
  /** @param reason why nobody is answered; undefined: they are answered */
  tell(reason: string | undefined): void
  close(): void
}

/** What `shut` is while nothing is known. */
export const UNSEEN =
  'it says nothing of who may ask, and it is not known yet whether another bridge of this engine asks callers for a token at this path; ask again in a moment'

/** It begins with nothing known. @param withinMs how long callers wait; while nothing is known after it, nobody is let in @param onLate called then */
export function createClearance(withinMs: number, onLate: () => void): ClearanceKeeper {
  const now: { -readonly [Key in keyof Clearance]: Clearance[Key] } = { shut: undefined, pending: undefined }
  let timer: NodeJS.Timeout | undefined
  let release: () => void = () => undefined
  let forgotten = 0
  let isClosed = false

  function forget(): void {
    forgotten += 1
    if (isClosed) return
    clearTimeout(timer)
    now.shut = UNSEEN
    now.pending ??= new Promise((resolve) => {
      release = resolve
    })
  }

  function settle(reason: string | undefined): void {
    clearTimeout(timer)
    now.shut = reason
    now.pending = undefined
    release()
  }

  // A request may be there before this worker has heard that it is connected.
  forget()
  return {
    now,
    get forgotten() {
      return forgotten
    },
    forget,
    begin() {
      clearTimeout(timer)
      if (isClosed) return
      timer = setTimeout(() => {
        settle(UNSEEN)
        onLate()
      }, withinMs).unref()
    },
    tell: settle,
    close() {
      isClosed = true
      settle(now.shut)
    },
  }
}
