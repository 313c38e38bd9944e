import { compareText, Fault, type SkillFile, type SkillFileFact } from '@iii/protocol'
import type { Logger, Settings, Worker } from '@iii/sdk'
import type { Options } from '../options.ts'
import { createScopedStore } from '../records/scoped-store.ts'
import { forEach } from '../store/concurrency.ts'
import { type FileInfo, type FileRow, fileRecords, toBytes, toContentHash, toFileKey } from './file-records.ts'
import { toMediaType } from './media-type.ts'

/** The contents of the files that skills have. */
export interface SkillFiles {
  /**
   * Stores what is not there yet; resolves to what is known of the files, for the skill to say.
   *
   * @throws Fault with the reason of the store.
   */
  store(id: string, files: readonly SkillFile[]): Promise<SkillFileFact[]>
  /** @throws Fault with the reason when the store cannot be read, `not_found` when the content went down with it. */
  read(id: string, sha256: string): Promise<FileRow | undefined>
  /** All contents that are stored, and nothing where no skill ever had a file. */
  list(): Promise<readonly FileInfo[]>
  /**
   * Removes a content, unless it was stored anew since it was listed: whoever did that is about to name it.
   *
   * @throws Fault `unavailable` then, else with the reason of the store.
   */
  remove(listed: FileInfo): Promise<void>
  /** From now on what the store loses is written back. */
  open(): void
}

export interface SkillFilesOptions {
  worker: Worker
  settings: Settings<Options>
  stamp(): string
  log: Logger
}

/** So many files are written side by side: at their largest they take no more than may wait for the engine to read it. */
const AT_ONCE = 8

/** The scope of contents: beside that of the skills that they belong to. */
function toFilesScope(skillsScope: string): string {
  return `${skillsScope}::files`
}

/** Nothing is asked of the engine before there is a file, but whether there ever was one. */
export function createSkillFiles(options: SkillFilesOptions): SkillFiles {
  const stores = createScopedStore({
    ...options,
    kind: fileRecords,
    nameOf: ({ skillsScope }) => toFilesScope(skillsScope),
    announce: () => undefined,
  })
  return {
    async store(id, files) {
      const store = stores.open()
      const contents = new Map(files.map((file) => [toContentHash(file), file]))
      await store.list()
      await forEach([...contents], AT_ONCE, async ([sha256, { text, base64 }]) => {
        const row = { id, sha256, ...(text === undefined ? { base64 } : { text }), registered_at: options.stamp() }
        await store.write(row)
      })
      return files.map(toFileFact).sort((a, b) => compareText(a.path, b.path))
    },
    read: (id, sha256) => stores.open().read(toFileKey({ id, sha256 })),
    async list() {
      // A registry before this one may have left some that no skill names any more.
      const store = stores.opened() ?? ((await stores.exists()) ? stores.open() : undefined)
      return store === undefined ? [] : (await store.list()).map(({ entry }) => entry)
    },
    async remove(listed) {
      const key = toFileKey(listed)
      await stores.open().remove(key, (known) => {
        if (known?.entry.registered_at === listed.registered_at) return
        throw new Fault('unavailable', `The file ${key} was stored anew`)
      })
    },
    open: () => void stores.open(),
  }
}

/** What is known of a file without its content. */
export function toFileFact(file: SkillFile): SkillFileFact {
  const { path, text, mimeType = toMediaType(path, text !== undefined) } = file
  return { path, sha256: toContentHash(file), bytes: toBytes(file).length, mimeType }
}
