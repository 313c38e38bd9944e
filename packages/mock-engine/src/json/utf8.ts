const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The text that bytes stand for; `undefined` when they are not UTF-8. */
export function decodeUtf8(bytes: Buffer): string | undefined {
  try {
    return strict.decode(bytes)
  } catch {
    return undefined
  }
}
