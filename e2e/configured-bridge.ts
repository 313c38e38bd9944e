import { writeFile } from 'node:fs/promises'
import { type Child, startChild } from './child.ts'
import { bridgeProgram, WORKER_READY } from './programs.ts'

/**
 * Starts a bridge on HTTP that has a configuration file; resolves when it serves.
 *
 * @param file where its settings are written to
 * @param settings what the file says: a text as it is, anything else as JSON
 * @throws when it ends before it serves, or takes too long
 */
export async function startConfiguredBridge(
  engineUrl: string,
  file: string,
  settings: string | object,
  flags: readonly string[] = [],
): Promise<Child> {
  await writeFile(file, typeof settings === 'string' ? settings : JSON.stringify(settings))
  const bridge = startChild(bridgeProgram(engineUrl, ['--config', file, ...flags]))
  try {
    await bridge.line(WORKER_READY)
  } catch (error) {
    await bridge.stop()
    throw error
  }
  return bridge
}
