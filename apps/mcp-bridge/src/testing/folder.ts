import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** A folder of its own for a test, gone with it. */
export interface TestFolder extends AsyncDisposable {
  readonly path: string
  write(name: string, text: string): Promise<string>
  read(name: string): Promise<string>
  /** All files below it, sorted. */
  files(): Promise<string[]>
}

export async function createFolder(): Promise<TestFolder> {
  const path = await mkdtemp(join(tmpdir(), 'iii-mcp-'))
  return {
    path,
    async write(name, text) {
      const file = join(path, name)
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, text)
      return file
    },
    read: (name) => readFile(join(path, name), 'utf8'),
    async files() {
      const entries = await readdir(path, { withFileTypes: true, recursive: true })
      const files = entries.filter((entry) => !entry.isDirectory())
      return files.map(({ parentPath, name }) => join(parentPath, name).slice(path.length + 1)).sort()
    },
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  }
}
