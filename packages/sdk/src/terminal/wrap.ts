/**
 * Breaks a text into lines of so many characters; a longer word stands alone.
 *
 * @example
 * wrap('one two three', 7) // ['one two', 'three']
 */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const line = lines.at(-1)
    if (line === undefined || line.length + word.length + 1 > width) lines.push(word)
    else lines[lines.length - 1] = `${line} ${word}`
  }
  return lines
}
