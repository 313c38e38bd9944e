import { McpCallConfig, type McpCallRecord } from '@iii/protocol'

/** Of which calls a subscriber wants to hear: what it names has to be so, all of it; what it does not name is as it may. */
export function createFilter(config: unknown): (record: McpCallRecord) => boolean {
  const { kinds, decisions, principals, functions } = McpCallConfig.safeParse(config ?? {}).data ?? {}
  const tests = [
    toTest(kinds, ({ kind }) => kind),
    toTest(decisions, ({ decision }) => decision),
    toTest(principals, ({ principal }) => principal),
    toTest(functions, ({ function_id: id }) => id),
  ].filter((test) => test !== undefined)
  return (record) => tests.every((test) => test(record))
}

function toTest(words: readonly string[] | undefined, read: (record: McpCallRecord) => string | undefined) {
  if (words === undefined) return undefined
  const whole = new Set(words)
  const beginnings = words.flatMap((word) => (word.endsWith('*') ? [word.slice(0, -1)] : []))
  return (record: McpCallRecord) => {
    const value = read(record)
    return value !== undefined && (whole.has(value) || beginnings.some((beginning) => value.startsWith(beginning)))
  }
}
