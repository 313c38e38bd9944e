/** What the variables of a template stand for in an address. */
export type Variables = Record<string, string>

/** A piece of a template, and how it lies in an address. */
export type TemplatePart =
  | { readonly kind: 'text'; readonly text: string }
  /** At least one of the characters. */
  | { readonly kind: 'value'; readonly names: readonly [string]; readonly allowed: RegExp }
  /** `?a=1&b=2`: any of the names, in any order, or nothing at all. */
  | { readonly kind: 'pairs'; readonly mark: string; readonly names: readonly string[] }

type Run = Exclude<TemplatePart, { kind: 'text' }>

/** A character of a plain value, those that are written as `%41` counted. */
export const PLAIN_CHARACTER = /[A-Za-z0-9\-._~%]|\P{ASCII}/u
/** The same, or what gives an address its structure. */
export const ANY_CHARACTER = /[A-Za-z0-9\-._~%:/?#[\]@!$&'()*+,;=]|\P{ASCII}/u
const OF_PAIRS = /[A-Za-z0-9\-._~%:/?[\]@!$&'()*+,;=]|\P{ASCII}/u

/**
 * Finds out for each part, one after the other, where in the address it may end; then goes back from the end. No part is ever tried
 * twice at the same place, so that no address takes long.
 *
 * @returns undefined when the address does not fit
 */
export function matchParts(parts: readonly TemplatePart[], uri: string): Variables | undefined {
  const isWithin = createWithin(uri)
  let reached = new Uint8Array(uri.length + 1)
  reached[0] = 1
  const steps: { readonly part: TemplatePart; readonly before: Uint8Array }[] = []
  for (const part of parts) {
    const before = reached
    reached = part.kind === 'text' ? advanceText(part.text, before, uri) : advanceRun(part, before, uri, isWithin)
    // Whoever declares thousands of templates is asked about each of them for every address that nobody has.
    if (!reached.includes(1)) return undefined
    steps.push({ part, before })
  }
  if (reached[uri.length] !== 1) return undefined
  const found: [string, string][] = []
  let end = uri.length
  for (const { part, before } of steps.reverse()) {
    const start = part.kind === 'text' ? end - part.text.length : findStart(part, before, { uri, end, isWithin })
    const values = readValues(part, uri.slice(start, end))
    if (values === undefined) return undefined
    found.push(...values)
    end = start
  }
  return Object.fromEntries(found.reverse())
}

/** Where a text ends that begins at one of the places. */
function advanceText(text: string, from: Uint8Array, uri: string): Uint8Array<ArrayBuffer> {
  const to = new Uint8Array(from.length)
  for (let at = 0; at < from.length; at += 1) {
    if (from[at] === 1 && uri.startsWith(text, at)) to[at + text.length] = 1
  }
  return to
}

function advanceRun(part: Run, from: Uint8Array, uri: string, isWithin: IsWithin): Uint8Array<ArrayBuffer> {
  const within = isWithin(part)
  // Pairs may be nothing at all: they may end wherever they may begin.
  const to = part.kind === 'pairs' ? Uint8Array.from(from) : new Uint8Array(from.length)
  let isInside = false
  for (let at = 0; at < uri.length; at += 1) {
    isInside = (isInside || mayBegin(part, from, uri, at)) && within[at] === 1
    if (isInside) to[at + 1] = 1
  }
  return to
}

/** Where a part begins that ends there: as late as it can, so that what stands before takes as much as it can. */
function findStart(
  part: Run,
  from: Uint8Array,
  { uri, end, isWithin }: { readonly uri: string; readonly end: number; readonly isWithin: IsWithin },
): number {
  const within = isWithin(part)
  for (let at = end - 1; at >= 0 && within[at] === 1; at -= 1) {
    if (mayBegin(part, from, uri, at)) return at
  }
  return end
}

function mayBegin(part: Run, from: Uint8Array, uri: string, at: number): boolean {
  return from[at] === 1 && (part.kind === 'value' || uri.charAt(at) === part.mark)
}

/** Which characters of the address may lie within a part: 1 for each that may. */
type IsWithin = (part: Run) => Uint8Array

/** Each kind of character is looked for once in an address, however many parts may have it. */
function createWithin(uri: string): IsWithin {
  const known = new Map<RegExp, Uint8Array>()
  return (part) => {
    const allowed = part.kind === 'value' ? part.allowed : OF_PAIRS
    const within =
      known.get(allowed) ?? Uint8Array.from({ length: uri.length }, (_, at) => +allowed.test(uri.charAt(at)))
    known.set(allowed, within)
    return within
  }
}

/** @returns undefined for what is no value: a broken escape, a name that the template does not have */
function readValues(part: TemplatePart, text: string): [string, string][] | undefined {
  try {
    if (part.kind === 'text') return []
    return part.kind === 'value' ? [[part.names[0], decodeURIComponent(text)]] : readPairs(part.mark, part.names, text)
  } catch {
    return undefined
  }
}

function readPairs(mark: string, known: readonly string[], text: string): [string, string][] | undefined {
  if (text === '') return []
  const pairs = text.slice(1).split(mark === ';' ? ';' : '&')
  const values = pairs.map((pair): [string, string] => {
    const [name = '', ...value] = pair.split('=')
    return [name, decodeURIComponent(value.join('='))]
  })
  const names = new Set(values.map(([name]) => name))
  return names.size === values.length && [...names].every((name) => known.includes(name)) ? values : undefined
}
