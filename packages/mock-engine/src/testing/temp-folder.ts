import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Works in a folder that is gone afterwards. */
export async function inTempFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'mock-engine-'))
  try {
    await work(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}
