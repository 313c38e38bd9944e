import type { Logger, Served, Settings, Worker } from '@iii/sdk'
import type { Options } from './options.ts'

/** Runs the servers of the file and puts their tools on the bus. */
export function serveMcpServers(_worker: Worker, _settings: Settings<Options>, _log: Logger): Served {
  return { close() {} }
}
