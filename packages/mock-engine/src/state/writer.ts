import { makeFolder } from './folder.ts'
import { type FolderLock, lockFolder } from './lock.ts'
import { listScopeFiles, saveScope, toFileName } from './scope-file.ts'
import type { StateStore } from './store.ts'

/** Brings changed scopes of a store into a locked folder. */
export interface Writer {
  /** Notes that a scope has to be written. */
  mark(scope: string): void
  /** Writes what is marked, after what is being written. What fails stays marked. @throws what the system said. */
  flush(): Promise<void>
  /** Like `flush`, and lets go of the folder. What somebody took out of the folder is written again. */
  end(): Promise<void>
}

export function createWriter(store: StateStore, folder: string, ownLock: FolderLock): Writer {
  const marked = new Set<string>()
  let lock = ownLock
  let writing: Promise<void> = Promise.resolve()

  async function save(): Promise<void> {
    if (!(await lock.holds())) {
      lock = await occupyAgain(folder)
      for (const scope of store.scopes()) marked.add(scope)
    }
    for (const scope of [...marked]) {
      marked.delete(scope)
      await saveScope(store, folder, scope).catch((error: unknown) => {
        marked.add(scope)
        throw error
      })
    }
  }

  function flush(): Promise<void> {
    writing = writing.catch(() => {}).then(save)
    return writing
  }

  return {
    mark: (scope) => void marked.add(scope),
    flush,
    async end() {
      const there = new Set(await listScopeFiles(folder).catch(() => []))
      for (const scope of store.scopes()) if (!there.has(toFileName(scope))) marked.add(scope)
      try {
        // A folder that is gone while there is nothing to keep stays gone.
        if (store.scopes().length > 0) await flush()
      } finally {
        await lock.release()
      }
    },
  }
}

/** Takes a folder again that was removed, or emptied, while the engine ran. */
async function occupyAgain(folder: string): Promise<FolderLock> {
  await makeFolder(folder)
  const lock = await lockFolder(folder)
  const [foreign] = await listScopeFiles(folder)
  if (foreign === undefined) return lock
  await lock.release()
  throw new Error(`it was replaced and has other state in ${foreign}: move that away`)
}
