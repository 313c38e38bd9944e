import { createScanner, findNodeAtLocation, type Node } from 'jsonc-parser'

/**
 * Takes a property out of JSON with comments, and every comment stays: also the one behind the property before, which most editors of
 * JSON take along with the comma.
 *
 * @returns the text as it was when there is no such property
 */
export function removeProperty(text: string, root: Node, path: readonly string[]): string {
  const property = findNodeAtLocation(root, [...path])?.parent
  const all = property?.parent?.children ?? []
  const at = property === undefined ? -1 : all.indexOf(property)
  if (property === undefined || at === -1) return text
  const end = property.offset + property.length
  const commaAfter = findComma(text, end)
  const previous = all[at - 1]
  const commaBefore = previous && findComma(text, previous.offset + previous.length)
  // Its line goes too, unless something else stands there: a bracket must not end up behind a comment.
  const isAlone = /^,?[ \t]*(?:\r?\n|$)/.test(text.slice(end))
  const space = (isAlone ? /(?:\r?\n)?[ \t]*$/ : /[ \t]*$/).exec(text.slice(0, property.offset))?.[0] ?? ''
  const start = property.offset - space.length
  if (commaAfter !== undefined) return cut(cut(text, commaAfter, commaAfter + 1), start, end)
  const without = cut(text, start, end)
  return commaBefore === undefined ? without : cut(without, commaBefore, commaBefore + 1)
}

/** The comma that comes next, over comments; undefined when something else does. */
export function findComma(text: string, from: number): number | undefined {
  const scanner = createScanner(text, true)
  scanner.setPosition(from)
  scanner.scan()
  const at = scanner.getTokenOffset()
  return text[at] === ',' ? at : undefined
}

function cut(text: string, start: number, end: number): string {
  return text.slice(0, start) + text.slice(end)
}
