import type { OptionTable } from '@iii/sdk'
import { z } from 'zod'

/** What a command can be told beside its operands. */
export interface Flags {
  json: boolean
  yes: boolean
}

export const FLAGS: OptionTable<Flags> = {
  json: { flag: '--json', schema: z.boolean(), default: false, describe: 'Print JSON, for scripts.' },
  yes: { flag: '--yes', schema: z.boolean(), default: false, describe: 'Do it without asking.' },
}
