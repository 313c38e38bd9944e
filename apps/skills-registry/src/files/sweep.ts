import { type SkillFileFact, toFault } from '@iii/protocol'
import type { Logger, Worker } from '@iii/sdk'
import { isUndecodable } from '../store/store-fault.ts'
import { type FileInfo, toFileKey } from './file-records.ts'
import type { SkillFiles } from './skill-files.ts'

/** So long a content stays that no skill names any more: whoever is registering the skill may be about to name it. In milliseconds. */
const GRACE_MS = 60_000
const EVERY_MS = 15_000

/** What says which contents a skill has. */
interface Named {
  id: string
  files?: readonly Pick<SkillFileFact, 'sha256'>[] | undefined
}

export interface SweepOptions {
  worker: Pick<Worker, 'ownership' | 'onShutdown'>
  skills: {
    list(): Promise<readonly Named[]>
    read(id: string): Promise<Pick<Named, 'files'> | undefined>
  }
  files: Pick<SkillFiles, 'list' | 'remove'>
  log: Logger
  graceMs?: number
  everyMs?: number
  now?: () => number
}

/** Removes contents that no skill names any more. What cannot be looked at stays. */
export function startSweep(options: SweepOptions): { sweep(): Promise<void> } {
  const { worker, skills, files, log, graceMs = GRACE_MS, everyMs = EVERY_MS, now = Date.now } = options
  const unnamedSince = new Map<string, number>()

  /** The index may not know of all skills, and what a text that is lost or no record has named nobody knows. */
  async function isNamed({ id, sha256 }: FileInfo): Promise<boolean> {
    try {
      const row = await skills.read(id)
      return row?.files?.some((file) => file.sha256 === sha256) === true
    } catch (error) {
      if (isUndecodable(error) || toFault(error).code === 'not_found') return true
      throw error
    }
  }

  /** Notes since when a content has had no name. @returns whether that is long enough */
  function isOld({ registered_at }: FileInfo, key: string): boolean {
    const since = unnamedSince.get(key) ?? now()
    unnamedSince.set(key, since)
    return now() - Math.max(since, Date.parse(registered_at) || 0) >= graceMs
  }

  /** Contents that have had no name for long enough. */
  function pick(stored: readonly FileInfo[], named: ReadonlySet<string>): FileInfo[] {
    const unnamed = stored.filter((info) => !named.has(toFileKey(info)))
    const keys = new Set(unnamed.map(toFileKey))
    for (const key of unnamedSince.keys()) if (!keys.has(key)) unnamedSince.delete(key)
    return unnamed.filter((info) => isOld(info, toFileKey(info)))
  }

  async function sweep(): Promise<void> {
    const named = toNamed(await skills.list())
    for (const info of pick(await files.list(), named)) {
      if (!(await isNamed(info))) await files.remove(info)
    }
  }

  let isSweeping = false
  /** One at a time: of thousands of contents a slow store takes longer than until the next one is due. */
  async function sweepAlone(): Promise<void> {
    if (isSweeping || worker.ownership.state !== 'serving') return
    isSweeping = true
    await sweep().catch((error: unknown) => log.debug({ reason: String(error) }, 'contents that no skill names stay'))
    isSweeping = false
  }

  const timer = setInterval(() => void sweepAlone(), everyMs).unref()
  worker.onShutdown(() => clearInterval(timer))
  return { sweep }
}

function toNamed(infos: readonly Named[]): Set<string> {
  return new Set(infos.flatMap(({ id, files = [] }) => files.map(({ sha256 }) => toFileKey({ id, sha256 }))))
}
