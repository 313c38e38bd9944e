import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { quote, toItems, toStringValue } from '../json/build.ts'
import { arrayText, type JsonText } from '../json/json-text.ts'
import { parseJson } from '../json/parse.ts'
import { createStateStore, type StateStore } from './store.ts'

/** A store that is kept in a folder: one file for each scope, an array of its scope and its `[key, value]` pairs. */
export interface StateFiles {
  readonly store: StateStore
  /** Writes what is not written yet. */
  flush(): Promise<void>
}

const SUFFIX = '.state.json'
/** How long changes are gathered before they are written, in milliseconds. */
const DELAY_MS = 200
/** How long after a failed write the next one is tried, in milliseconds. */
const RETRY_MS = 1_000

/**
 * Reads the folder, making it if need be, and keeps it up to date: changes reach the disk within 0.2 s, each file is
 * replaced as a whole, so that a crash leaves the old or the new one. What could not be written is tried again each second.
 *
 * @param onWriteError hears of the first of a row of failed writes.
 * @throws an Error that names the folder or file which cannot be used.
 */
export async function openStateFiles(folder: string, onWriteError: (error: unknown) => void): Promise<StateFiles> {
  await mkdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === 'EEXIST' ? 'it is a file' : `it cannot be made (${error.code})`
    throw new Error(`state cannot be kept in the folder ${folder}: ${reason}`)
  })
  const changed = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()
  let loaded = false
  let failing = false

  const store = createStateStore((scope) => {
    if (!loaded) return
    changed.add(scope)
    timer ??= setTimeout(write, DELAY_MS)
  })
  for (const name of await readdir(folder)) if (name.endsWith(SUFFIX)) await load(store, join(folder, name))
  loaded = true

  function write(): void {
    flush().then(
      () => {
        failing = false
      },
      (error: unknown) => {
        if (!failing) onWriteError(error)
        failing = true
        timer ??= setTimeout(write, RETRY_MS).unref()
      },
    )
  }

  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    writing = writing
      .catch(() => {})
      .then(async () => {
        for (const scope of [...changed]) {
          changed.delete(scope)
          await save(folder, scope, store).catch((error: unknown) => {
            changed.add(scope)
            throw error
          })
        }
      })
    return writing
  }
  return { store, flush }
}

async function load(store: StateStore, path: string): Promise<void> {
  const [scope, ...rows] = toItems(parseJson(await readFile(path, 'utf8')) ?? 'null') ?? []
  const name = toStringValue(scope)
  if (name === undefined) throw new Error(`${path} is no file of stored state: move it away or choose another folder`)
  for (const row of rows) {
    const [key, value] = toItems(row) ?? []
    const text = toStringValue(key)
    if (text !== undefined && value !== undefined) store.set(name, text, value)
  }
}

async function save(folder: string, scope: string, store: StateStore): Promise<void> {
  const path = join(folder, fileName(scope))
  const rows: JsonText[] = [...store.entries(scope)].map(([key, value]) => arrayText([quote(key), value]))
  const draft = `${path}.new`
  try {
    await writeFile(draft, arrayText([quote(scope), ...rows]))
    await rename(draft, path)
  } finally {
    await rm(draft, { force: true })
  }
}

/** A name that every file system takes, that no two scopes share, and that shows which scope it is. */
function fileName(scope: string): string {
  const words = scope.replace(/[^A-Za-z0-9]+/g, '_').slice(0, 60)
  const hash = createHash('sha256').update(scope).digest('hex').slice(0, 16)
  return `${words}-${hash}${SUFFIX}`
}
