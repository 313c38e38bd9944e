import type { OptionTable } from '@iii/sdk'
import { z } from 'zod'

/** What can be set for the worker `mcp-client`. */
export interface Options {
  /** Where the approved tools are kept, relative to the file. @default 'mcp-client.lock.json' */
  pins: string
  /** The servers by name, as the file has them: each is read by itself, so that a wrong one costs nobody else anything. @default {} */
  servers: Readonly<Record<string, unknown>>
}

/**
 * From the file alone: which programs run on this machine is neither a variable, which is easily passed on, nor ever stored on the engine,
 * where any worker can write.
 */
export const options: OptionTable<Options> = {
  pins: {
    yaml: 'pins',
    schema: z.string().min(1),
    default: 'mcp-client.lock.json',
    describe: 'The file that keeps what was approved, beside the configuration file.',
  },
  servers: {
    yaml: 'servers',
    schema: z.record(z.string(), z.unknown()),
    default: {},
    describe: 'The MCP servers by name: what each runs, and how far it is trusted.',
  },
}

/** How the file is read: whoever can write it decides what runs here. */
export const rules = { options, refusesSharedFile: true }
