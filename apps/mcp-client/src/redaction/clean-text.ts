import { toVisible } from '@iii/protocol'
import type { SecretFilter } from './secret-filter.ts'

/** A text of a server without its secrets and what nobody sees: a secret may only come together once that is gone. */
export function toCleanText(text: string, filter: SecretFilter): string {
  return filter.text(toVisible(filter.text(text)))
}
