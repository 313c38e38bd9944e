/** A text line by line. */
export interface Lines {
  /** The line that `next` will give. */
  peek(): string | undefined
  /** Undefined behind the last line. */
  next(): string | undefined
}

export function isBlank(line: string): boolean {
  return line.trim() === ''
}

/** Consumes the lines up to the next blank one. */
export function skipToBlank(lines: Lines): void {
  for (let next = lines.peek(); next !== undefined && !isBlank(next); next = lines.peek()) lines.next()
}

/** Reads a text line by line without splitting what nobody asks for. */
export function createLines(text: string): Lines {
  const lineEnd = /\r\n?|\n/g
  let isOver = false
  let ahead: string | undefined
  const read = (): string | undefined => {
    if (isOver) return undefined
    const start = lineEnd.lastIndex
    const end = lineEnd.exec(text)
    isOver = end === null
    return text.slice(start, end?.index)
  }
  return {
    peek() {
      ahead ??= read()
      return ahead
    },
    next() {
      const line = ahead ?? read()
      ahead = undefined
      return line
    },
  }
}
