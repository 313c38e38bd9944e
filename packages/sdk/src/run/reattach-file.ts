import { randomUUID } from 'node:crypto'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { z } from 'zod'
import { toPublicUrl } from '../engine/url.ts'
import type { Logger } from '../log.ts'
import { readRegularFile } from '../options/regular-file.ts'
import type { ReattachStore } from '../wire/reattach.ts'

const MAX_BYTES = 4 * 1024
const OF_OTHERS = 0o077

const Content = z.object({ engine: z.string(), worker_id: z.string().min(1), reattach_token: z.string().min(1) })

export interface ReattachFileOptions {
  readonly path: string
  /** Of the engine: what another one has given is not for this one. */
  readonly url: string
  readonly log: Logger
  /** @default that of this process */
  readonly platform?: NodeJS.Platform
}

/**
 * Remembers the connection of a process in a file that nobody else may read. What stands there ends a worker, so it is never logged, and a
 * file that others may read, or that is none of ours, is neither used nor touched.
 */
export function createReattachFile({
  path,
  url,
  log,
  platform = process.platform,
}: ReattachFileOptions): ReattachStore {
  const file = resolve(path)
  const engine = toPublicUrl(url)
  let isTold = false
  /** What was there may be somebody else's, who needs it. */
  let isForeign = false

  function warn(problem: string): void {
    if (!isTold)
      log.warn({ file }, `the file of the last connection ${problem}; the engine is left to notice by itself`)
    isTold = true
  }

  function remove(one: string): void {
    try {
      rmSync(one, { force: true })
    } catch (error) {
      warn(`cannot be removed (${codeOf(error) ?? 'unknown'})`)
    }
  }

  return {
    read() {
      const content = readContent(file, platform)
      if (content === undefined) return undefined
      isForeign = 'problem' in content
      if ('problem' in content) return void warn(content.problem)
      const { engine: of, worker_id: workerId, reattach_token: token } = content
      return of === engine ? { workerId, token } : undefined
    },
    write({ workerId, token }) {
      if (isForeign) return
      const draft = `${file}.${randomUUID().slice(0, 8)}`
      try {
        const text = JSON.stringify({ engine, worker_id: workerId, reattach_token: token })
        writeFileSync(draft, `${text}\n`, { mode: 0o600, flag: 'wx' })
        renameSync(draft, file)
      } catch (error) {
        warn(`cannot be written (${codeOf(error) ?? 'unknown'})`)
        remove(draft)
      }
    },
    forget() {
      if (!isForeign) remove(file)
    },
  }
}

/** What stands there, or why that is none of ours. */
function readContent(
  file: string,
  platform: NodeJS.Platform,
): z.infer<typeof Content> | { problem: string } | undefined {
  try {
    const read = readRegularFile(file, { maxBytes: MAX_BYTES, followsLink: false })
    if (read.problem !== undefined) return read
    if (platform !== 'win32' && (read.mode & OF_OTHERS) !== 0) return { problem: 'may be read by others: chmod 600' }
    return read.bytes.length === 0 ? undefined : Content.parse(JSON.parse(read.bytes.toString()))
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ENOENT') return undefined
    return { problem: `cannot be used (${code ?? 'it is not what such a process writes'})` }
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | undefined)?.code
}
