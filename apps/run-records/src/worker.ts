import type { Logger, Settings, Worker } from '@iii/sdk'
import type { Options } from './options.ts'

/** Puts everything that this worker offers on the bus. */
export function serveRuns(_worker: Worker, _settings: Settings<Options>, _log: Logger): void {}
