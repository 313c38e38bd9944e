import { createHash } from 'node:crypto'
import { readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { quote, toItems, toStringValue } from '../json/build.ts'
import { arrayText, type JsonText } from '../json/json-text.ts'
import { parseJson } from '../json/parse.ts'
import { FILE_MODE, readRegularFile } from './folder.ts'
import type { StateStore } from './store.ts'

/** One scope in a file: an array of its name and its `[key, value]` pairs. */

const SUFFIX = '.state.json'

/** The names of the files of a folder that hold a scope. */
export async function listScopeFiles(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.endsWith(SUFFIX))
}

/** Reads one file into a store. @throws an Error that names a file which holds no scope. */
export async function loadScope(store: StateStore, folder: string, name: string): Promise<void> {
  const path = join(folder, name)
  const [scope, ...rows] = toItems(parseJson(await readRegularFile(path)) ?? 'null') ?? []
  const scopeName = toStringValue(scope)
  if (scopeName === undefined) {
    throw new Error(`${path} is no file of stored state: move it away or choose another folder`)
  }
  for (const row of rows) {
    const [key, value] = toItems(row) ?? []
    const text = toStringValue(key)
    if (text !== undefined && value !== undefined) store.set(scopeName, text, value)
  }
}

/** Replaces the file of a scope as a whole, so that a crash leaves the old or the new one. */
export async function saveScope(store: StateStore, folder: string, scope: string): Promise<void> {
  const path = join(folder, toFileName(scope))
  const rows: JsonText[] = [...store.entries(scope)].map(([key, value]) => arrayText([quote(key), value]))
  const draft = `${path}.new`
  await rm(draft, { force: true })
  try {
    await writeFile(draft, arrayText([quote(scope), ...rows]), { flag: 'wx', mode: FILE_MODE })
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {})
    throw error
  }
}

/** A name that every file system takes, that no two scopes share, and that shows which scope it is. */
export function toFileName(scope: string): string {
  const words = scope.replace(/[^A-Za-z0-9]+/g, '_').slice(0, 60)
  const hash = createHash('sha256').update(scope).digest('hex').slice(0, 16)
  return `${words}-${hash}${SUFFIX}`
}
