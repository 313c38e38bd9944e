import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** A folder that is gone when the test is. */
export interface FilledFolder extends AsyncDisposable {
  path: string
  /** Writes files by their paths, and the folders on the way. */
  write(files: Readonly<Record<string, string | Uint8Array>>): Promise<void>
  /** Makes a named pipe, which nobody writes to. */
  pipe(name: string): void
  /** All files below, hidden ones too, by their paths with `/`. */
  read(): Promise<Record<string, string>>
}

const MAKE_PIPE = 'mkfifo'

export async function createFilledFolder(
  files: Readonly<Record<string, string | Uint8Array>> = {},
): Promise<FilledFolder> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'iii-skills-')))
  const folder: FilledFolder = {
    path,
    async write(contents) {
      for (const [name, content] of Object.entries(contents)) {
        await mkdir(dirname(join(path, name)), { recursive: true })
        await writeFile(join(path, name), content)
      }
    },
    pipe: (name) => void execFileSync(MAKE_PIPE, [join(path, name)]),
    async read() {
      const entries = await readdir(path, { withFileTypes: true, recursive: true })
      const names = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
      const texts = await Promise.all(names.map((name) => readFile(name, 'utf8')))
      return Object.fromEntries(names.map((name, at) => [name.slice(path.length + 1), texts[at] ?? '']))
    },
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  }
  await folder.write(files)
  return folder
}
