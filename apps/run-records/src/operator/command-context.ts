import { createLog, type Worker } from '@iii/sdk'
import { type CommandLine, connectEngine, requireUsableFile, startSettings } from '@iii/sdk/cli'
import { type Assembled, assemble } from '../assemble.ts'
import { createInspection, type Inspection } from '../inspection/inspection.ts'
import { createRecordReader } from '../inspection/records.ts'
import { type Options, options } from '../options.ts'

/** What commands work with: the same modules as the worker, on a connection of their own. */
export interface CommandContext extends Assembled {
  readonly worker: Worker
  readonly inspection: Inspection
  options(): Options
}

/**
 * Connects under a name of its own, so that nobody takes it for the worker.
 *
 * @throws CommandFailure `unreachable` when no engine answers, `usage` for a malformed configuration file
 */
export async function openCommandContext(said: CommandLine, name: string): Promise<CommandContext> {
  const log = createLog({ name: 'iii-runs', level: said.debug ? 'debug' : 'silent' })
  const settings = startSettings({ options }, { fixed: said.own, file: said.config }, log)
  settings.stop()
  requireUsableFile(settings)
  const worker = await connectEngine(said, name)
  const current = () => settings.value
  const parts = assemble({ worker, options: current, log })
  const records = createRecordReader(parts.store)
  const inspection = createInspection({ engine: worker, options: current, records, locks: parts.locks })
  return { ...parts, worker, inspection, options: current }
}
