/** What an HTTP response consists of, told piece by piece as it arrives. */
export interface ResponseEvents {
  head(status: number, headers: readonly (readonly [string, string])[]): void
  chunk(data: Buffer): void
  end(): void
}

type State = (buffer: Buffer) => Buffer | undefined

/**
 * Reads the bytes of one HTTP/1.1 response; keeps the boundaries of its chunks, which Node's own client does not show.
 *
 * @returns a function to be given the bytes as they come.
 */
export function createResponseReader(method: string, events: ResponseEvents): (bytes: Buffer) => void {
  let held: Buffer = Buffer.alloc(0)
  let state: State | undefined = readHead

  function finish(rest: Buffer): Buffer {
    state = undefined
    events.end()
    return rest
  }

  function readHead(buffer: Buffer): Buffer | undefined {
    const end = buffer.indexOf('\r\n\r\n')
    if (end < 0) return undefined
    const [first = '', ...lines] = buffer.toString('latin1', 0, end).split('\r\n')
    const headers = lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const
    })
    const status = Number(first.split(' ')[1])
    events.head(status, headers)
    const rest = buffer.subarray(end + 4)
    const value = (name: string) => headers.find(([key]) => key === name)?.[1]
    const length = value('content-length')
    if (method === 'HEAD' || status === 204 || length === '0') return finish(rest)
    state = value('transfer-encoding') === 'chunked' ? readSize : readBody(Number(length), finish)
    return rest
  }

  function readSize(buffer: Buffer): Buffer | undefined {
    const end = buffer.indexOf('\r\n')
    if (end < 0) return undefined
    const size = Number.parseInt(buffer.toString('latin1', 0, end), 16)
    state = readBody(
      size,
      (rest) => {
        if (size === 0) return finish(rest.subarray(2))
        state = readSize
        return rest.subarray(2)
      },
      2,
    )
    return buffer.subarray(end + 2)
  }

  /** @param trailer - bytes that belong to the piece without being part of it. */
  function readBody(size: number, then: (rest: Buffer) => Buffer, trailer = 0): State {
    return (buffer) => {
      if (buffer.length < size + trailer) return undefined
      if (size > 0) events.chunk(buffer.subarray(0, size))
      return then(buffer.subarray(size))
    }
  }

  return (bytes) => {
    held = Buffer.concat([held, bytes])
    for (let rest = state?.(held); rest; rest = state?.(held)) held = rest
  }
}
