import { REDACTED, redact } from '@iii/protocol/redaction'

/** A text of somebody else as it may be kept and shown: without the secrets that can be seen in it. */
export function toRedactedText(text: string): string {
  const kept = redact(text, { maxBytes: Number.MAX_SAFE_INTEGER })?.value
  return typeof kept === 'string' ? kept : REDACTED
}
