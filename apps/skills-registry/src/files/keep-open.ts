import type { SkillFileFact } from '@iii/protocol'
import type { Settings, Worker } from '@iii/sdk'
import { memoize } from '../records/remembered.ts'
import type { SkillFiles } from './skill-files.ts'

/** How often it is looked whether a skill has files; it asks nobody. In milliseconds. */
const EVERY_MS = 250

interface KeepOpenOptions {
  worker: Pick<Worker, 'onShutdown'>
  /** While they are locked nobody knows where the skills are. */
  settings: Pick<Settings<unknown>, 'locked'>
  skills: { known(): readonly { files?: readonly SkillFileFact[] | undefined }[] }
  files: Pick<SkillFiles, 'open'>
}

/** Opens the contents as soon as a skill is known to have some: what nobody has read yet may be lost with the store too. */
export function keepFilesOpen({ worker, settings, skills, files }: KeepOpenOptions): void {
  const haveFiles = memoize((infos: ReturnType<typeof skills.known>) => infos.some((info) => info.files?.length))
  const timer = setInterval(() => {
    if (settings.locked === undefined && haveFiles(skills.known())) files.open()
  }, EVERY_MS).unref()
  worker.onShutdown(() => clearInterval(timer))
}
