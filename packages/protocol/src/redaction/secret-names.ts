const names =
  /password|passwd|pwd|passphrase|passcode|secret|token|bearer|authorization|cookie|credential|(?:api|access|account|private|signing|encryption)key/

/**
 * Tells whether a key names a secret, in every usual writing: `apiKey`, `X-API-Key`, `DB_PASSWORD`, `clientsecret`.
 *
 * @example
 * isSecretName('X-API-Key') // true
 * isSecretName('keyboard') // false
 */
export function isSecretName(key: string): boolean {
  return names.test(
    key
      .slice(0, MAX_NAME_LENGTH)
      .toLowerCase()
      .replace(/[^a-z]+/g, ''),
  )
}

/**
 * Tells whether a key names a secret when it has a text: `pass`, `SMTP_PASS`, `userPass`, `otp`. A number under it counts what has passed.
 *
 * @example
 * isSecretOfText('bypass') // false
 */
export function isSecretOfText(key: string): boolean {
  return /(?:^|[^A-Za-z])(?:pass|otp)$/i.test(key) || /[a-z](?:Pass|Otp)$/.test(key)
}

/** Counts of tokens are no secrets: `tokens`, `max_tokens`, `promptTokens`. */
export function isTokenCount(key: string): boolean {
  return /tokens$/i.test(key)
}

const MAX_NAME_LENGTH = 256
