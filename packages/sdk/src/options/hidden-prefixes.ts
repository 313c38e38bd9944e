import { z } from 'zod'
import type { OptionSpec } from './option-table.ts'

/** With a `*` it would hide nothing, while somebody relies on it. */
const Prefix = z
  .string()
  .min(1)
  .regex(/^[^*]*$/, {
    error: "must be the beginning of ids as it is, without *: 'orders::' hides all that begins so",
  })

/**
 * The option of every worker that shows functions to clients: literal beginnings of ids that are hidden, beside those that always are. What is
 * stored on the engine may hide more, never less.
 */
export const HIDDEN_PREFIXES_OPTION: OptionSpec<readonly string[]> = {
  flag: '--hidden-prefixes',
  yaml: 'hidden_prefixes',
  stored: (ours, stored) => [...stored, ...ours.filter((prefix) => !stored.includes(prefix))],
  schema: z.array(Prefix),
  default: [],
  describe: 'Beginnings of function ids to hide, beside the internal namespaces, which are always hidden.',
}
