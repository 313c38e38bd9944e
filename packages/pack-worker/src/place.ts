import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeFolder } from '@iii/sdk/cli'

/** Writes a file at once, and only when it is another one: an engine may be watching it. */
export async function place(file: string, content: string | Buffer, mode = 0o644): Promise<void> {
  const bytes = Buffer.from(content)
  const isThere = await readFile(file).then(
    (before) => before.equals(bytes),
    () => false,
  )
  if (isThere) return
  await makeFolder(dirname(file))
  const draft = `${file}.${process.pid}`
  try {
    await writeFile(draft, bytes, { mode })
    await rename(draft, file)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}
