import { redact } from '@iii/protocol/redaction'

const NO_LIMIT = { maxBytes: Number.MAX_SAFE_INTEGER }
/** What such a name has is where the secret is, and not the secret. */
const WHERE = /(?:file|path|dir|url|uri|name)$/i

/** Whether a text looks like a secret by itself, or stands under a name that says so. */
export function looksSecret(name: string, text: string): boolean {
  if (text === '') return false
  return hasSecret(text) || (!WHERE.test(name) && hasSecret({ [name]: text }))
}

function hasSecret(value: unknown): boolean {
  return (redact(value, NO_LIMIT)?.secrets ?? 1) > 0
}
