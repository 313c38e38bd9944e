/** A connection, and the secret by which whoever has it may end it: the engine's word for it is to reattach. */
export interface FormerConnection {
  readonly workerId: string
  readonly token: string
}

/** Where the last connection is remembered beyond the life of a process. Nothing of it throws. */
export interface ReattachStore {
  /** That of a process before this one; undefined where there was none, or it has left. */
  read(): FormerConnection | undefined
  write(connection: FormerConnection): void
  /** This process leaves: nobody has to end its connection. */
  forget(): void
}

/** Has the engine forget a former connection that it may not have noticed yet to be gone, with the names and functions that it holds. */
export interface Reattach {
  /** The engine has greeted us. @returns what is said before anything else */
  greeted(workerId: string, token: string | undefined): string | undefined
  closed(): void
}

export function createReattach(store: ReattachStore | undefined): Reattach {
  let isFirst = true
  let former: FormerConnection | undefined

  return {
    greeted(workerId, token) {
      const last = isFirst ? store?.read() : former
      isFirst = false
      former = token === undefined ? undefined : { workerId, token }
      if (former !== undefined) store?.write(former)
      if (last === undefined) return undefined
      return JSON.stringify({ type: 'reattach', previous_worker_id: last.workerId, reattach_token: last.token })
    },
    closed() {
      // Before it was greeted this process has looked at nothing there, and left nothing.
      if (!isFirst) store?.forget()
    },
  }
}
