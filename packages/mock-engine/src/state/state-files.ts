import { explainSystemError, makeFolder } from './folder.ts'
import { type FolderLock, lockFolder } from './lock.ts'
import { listScopeFiles, loadScope } from './scope-file.ts'
import { createStateStore, type StateStore } from './store.ts'
import { createWriter } from './writer.ts'

/** A store that is kept in a folder, one file for each scope. */
export interface StateFiles {
  readonly store: StateStore
  /**
   * Writes what is not written yet and lets go of the folder; a second call waits for the first.
   *
   * @throws an Error that says what could not be written and why.
   */
  close(): Promise<void>
}

/** Hears what becomes of the folder while the engine runs. */
type Report = (level: 'warn' | 'error', message: string) => void

/** How long changes are gathered before they are written, in milliseconds. */
const DELAY_MS = 200
/** How long after a failed write the next one is tried, in milliseconds. */
const RETRY_MS = 1_000

/**
 * Reads the folder, making it if need be, and keeps it up to date: a change is written 0.2 s later at the latest. What could not
 * be written is tried again each second. A folder that is removed while the engine runs is made again with everything; one
 * that is replaced by a folder with other state is left alone.
 *
 * @param report hears of a failure once, not at every try, and of its end.
 * @throws an Error that names the folder or file which cannot be used, or the process which uses it.
 */
export async function openStateFiles(folder: string, report: Report): Promise<StateFiles> {
  const lock = await occupy(folder)
  let noteChange: (scope: string) => void = () => {}
  const store = createStateStore((scope) => noteChange(scope))
  await loadAll(store, folder).catch(async (error: unknown) => {
    await lock.release()
    throw error
  })
  const writer = createWriter(store, folder, lock)
  let timer: NodeJS.Timeout | undefined
  let failure: string | undefined
  let closed: Promise<void> | undefined

  noteChange = (scope) => {
    writer.mark(scope)
    timer ??= setTimeout(write, DELAY_MS)
  }

  function write(): void {
    timer = undefined
    writer.flush().then(
      () => {
        if (failure !== undefined) report('warn', `state is written to ${folder} again`)
        failure = undefined
      },
      (error: unknown) => {
        const reason = explainSystemError(error)
        if (reason !== failure) report('error', `state cannot be written to ${folder} (${reason}); trying again`)
        failure = reason
        if (closed === undefined) timer ??= setTimeout(write, RETRY_MS).unref()
      },
    )
  }

  async function end(): Promise<void> {
    clearTimeout(timer)
    noteChange = () => {}
    await writer.end().catch((error: unknown) => {
      throw new Error(`state was not written to ${folder} (${explainSystemError(error)}): what is not in there is lost`)
    })
  }

  function close(): Promise<void> {
    closed ??= end()
    return closed
  }
  return { store, close }
}

/** Makes a folder if need be and takes it for this engine alone. */
async function occupy(folder: string): Promise<FolderLock> {
  try {
    await makeFolder(folder)
    return await lockFolder(folder)
  } catch (error) {
    throw new Error(`state cannot be kept in the folder ${folder}: ${explainSystemError(error)}`)
  }
}

async function loadAll(store: StateStore, folder: string): Promise<void> {
  for (const name of await listScopeFiles(folder)) await loadScope(store, folder, name)
}
