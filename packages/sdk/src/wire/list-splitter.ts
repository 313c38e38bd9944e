/** An element of a list, as it was written. */
export interface ListElement {
  /** JSON text; of a long element what it begins with. */
  readonly text: string
  readonly isWhole: boolean
}

/** Takes the text of one JSON object apart as it comes. */
export interface ListSplitter {
  /** @returns the elements that end in these bytes */
  split(bytes: Buffer): ListElement[]
  /** Whether a list has been there. */
  readonly hasList: boolean
}

const QUOTE = 0x22
const COMMA = 0x2c
const BACKSLASH = 0x5c
const OPEN_LIST = 0x5b
/** How much deeper a byte leads. */
const STEPS = new Int8Array(256)
for (const byte of Buffer.from('[{')) STEPS[byte] = 1
for (const byte of Buffer.from(']}')) STEPS[byte] = -1
/** How deep the elements of a list lie that is a member of the object. */
const IN_LIST = 2

/**
 * Finds the elements of lists that are members of an object, and keeps no more of the text than one element.
 *
 * @param maxBytes so much is kept of an element
 */
export function createListSplitter(maxBytes: number): ListSplitter {
  const text = createTextSkipper()
  const element = createKept(maxBytes)
  let depth = 0
  let isList = false
  let hasList = false

  /** @returns what a byte outside of texts does to the element that is open */
  function read(byte: number): 'begin' | 'end' | undefined {
    if (byte === QUOTE) text.begin()
    const before = depth
    depth += STEPS[byte] ?? 0
    if (depth > before) return open(byte)
    return isList && before === IN_LIST ? close(byte) : undefined
  }

  function open(byte: number): 'begin' | undefined {
    if (byte !== OPEN_LIST || depth !== IN_LIST) return undefined
    isList = true
    hasList = true
    return 'begin'
  }

  function close(byte: number): 'end' | undefined {
    isList = depth === IN_LIST
    return isList && byte !== COMMA ? undefined : 'end'
  }

  return {
    get hasList() {
      return hasList
    },
    split(bytes) {
      const ended: ListElement[] = []
      let start = 0
      for (let at = text.skip(bytes, 0); at < bytes.length; at = text.skip(bytes, at + 1)) {
        const effect = read(bytes.readUInt8(at))
        if (effect === 'end') element.add(bytes.subarray(start, at))
        if (effect !== undefined) {
          ended.push(element.take())
          start = at + 1
        }
      }
      if (isList) element.add(bytes.subarray(start))
      return ended.filter((one) => one.text !== '')
    },
  }
}

interface TextSkipper {
  begin(): void
  /** @returns where the structure goes on: what is in a text has none */
  skip(bytes: Buffer, from: number): number
}

function createTextSkipper(): TextSkipper {
  let isText = false
  let isEscaped = false

  /** @returns what comes behind the quote that ends the text; the quote itself when it is escaped */
  function skipToQuote(bytes: Buffer, from: number): number {
    const start = isEscaped ? from + 1 : from
    const quote = bytes.indexOf(QUOTE, start)
    const end = quote < 0 ? bytes.length : quote
    isEscaped = endsEscaping(bytes, start, end)
    isText = quote < 0 || isEscaped
    return isText ? end : end + 1
  }

  return {
    begin() {
      isText = true
    },
    skip(bytes, from) {
      let at = from
      while (isText && at < bytes.length) at = skipToQuote(bytes, at)
      return at
    },
  }
}

/** Does an odd number of backslashes stand before the end? */
function endsEscaping(bytes: Buffer, from: number, end: number): boolean {
  let at = end
  while (at > from && bytes[at - 1] === BACKSLASH) at -= 1
  return (end - at) % 2 === 1
}

/** Keeps what a text begins with. */
function createKept(maxBytes: number) {
  let parts: Buffer[] = []
  let kept = 0
  let isWhole = true
  return {
    add(bytes: Buffer): void {
      const part = bytes.subarray(0, maxBytes - kept)
      isWhole &&= part.length === bytes.length
      kept += part.length
      // A copy: the rest of what has come may be large.
      if (part.length > 0) parts.push(Buffer.from(part))
    },
    take(): ListElement {
      const taken = { text: Buffer.concat(parts).toString().trim(), isWhole }
      parts = []
      kept = 0
      isWhole = true
      return taken
    },
  }
}
