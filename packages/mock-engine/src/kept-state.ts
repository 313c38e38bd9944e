import type { ResolvedOptions } from './options.ts'
import { openStateFiles, type StateFiles } from './state/state-files.ts'
import { createStateStore } from './state/store.ts'

/** Opens what `state::*` is kept in: what is shared with other engines, the folder, or the memory of this process. */
export async function openState({ dataDir, sharedState, log }: ResolvedOptions): Promise<StateFiles> {
  if (dataDir === undefined) {
    return { store: sharedState ?? createStateStore(), close: () => Promise.resolve() }
  }
  return await openStateFiles(dataDir, (level, message) => log({ level, message, service: undefined }))
}
