import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'

const BLOCK = 512

/** Unpacks a tarball as package managers do: what lies under `package/` comes into `folder`. Returns the paths. */
export async function unpackTarball(file: string, folder: string): Promise<string[]> {
  const archive = gunzipSync(await readFile(file))
  const paths: string[] = []
  for (let at = 0; at + BLOCK <= archive.length && archive[at] !== 0; ) {
    const size = Number.parseInt(readText(archive, at + 124, 12), 8)
    const path = readText(archive, at, 100).replace(/^package\//, '')
    const isFile = ['0', ''].includes(readText(archive, at + 156, 1))
    if (isFile) {
      await mkdir(dirname(join(folder, path)), { recursive: true })
      await writeFile(join(folder, path), archive.subarray(at + BLOCK, at + BLOCK + size))
      paths.push(path)
    }
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK
  }
  return paths
}

function readText(archive: Buffer, at: number, length: number): string {
  return (
    archive
      .toString('utf8', at, at + length)
      .split('\0')[0]
      ?.trim() ?? ''
  )
}
