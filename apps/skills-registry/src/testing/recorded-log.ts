import type { Logger } from '@iii/sdk'

/** A logger that keeps what it was told. */
export interface TextLog extends Logger {
  /** `warn: the text` */
  readonly said: string[]
  /** The fields of each warning, and its `text`. */
  readonly warnings: Record<string, unknown>[]
}

export function createTextLog(): TextLog {
  const said: string[] = []
  const warnings: Record<string, unknown>[] = []
  const at = (level: string) => (first: object | string, message?: string) => {
    const text = typeof first === 'string' ? first : (message ?? '')
    said.push(`${level}: ${text}`)
    if (level === 'warn') warnings.push({ ...(typeof first === 'string' ? {} : first), text })
  }
  const log: TextLog = {
    said,
    warnings,
    debug: () => undefined,
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: () => log,
  }
  return log
}
