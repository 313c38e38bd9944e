import { z } from 'zod'

/** The name of a token. It becomes a part of principals' ids and of log lines. */
export const Name = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/, {
  error: 'must be 1 to 64 letters, digits and . _ - that begin with a letter or digit, for example ci',
})
