/** Of all values those that fit what was typed: first what begins with it, then what has it somewhere. Upper and lower case are the same. */
export function toMatching(values: readonly string[], typed: string): string[] {
  const wanted = typed.toLowerCase()
  const fitting = values.filter((value) => value.toLowerCase().includes(wanted))
  const isFirst = (value: string) => value.toLowerCase().startsWith(wanted)
  return [...fitting.filter(isFirst), ...fitting.filter((value) => !isFirst(value))]
}
