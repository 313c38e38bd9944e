import type { Logger } from '../log.ts'

export interface RecordedLine {
  level: 'debug' | 'info' | 'warn' | 'error'
  message: string
  fields: Record<string, unknown>
}

/** A logger that keeps what it was told. */
export interface RecordedLog extends Logger {
  readonly lines: readonly RecordedLine[]
  /** The messages of one level, with their `reason` where they have one. */
  messages(level: RecordedLine['level']): string[]
}

export function createRecordedLog(lines: RecordedLine[] = []): RecordedLog {
  const at = (level: RecordedLine['level']) => (first: object | string, message?: string) => {
    const fields = typeof first === 'string' ? {} : { ...first }
    lines.push({ level, message: typeof first === 'string' ? first : (message ?? ''), fields })
  }
  return {
    lines,
    messages: (level) => lines.filter((line) => line.level === level).map(({ message }) => message),
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: () => createRecordedLog(lines),
  }
}
