/** Who is called by a frame that is too large to be read. */
export interface InvocationHead {
  functionId: string
  invocationId: string
}

const HEAD_BYTES = 4096
const STRING_MEMBER = /\s*[{,]\s*"(\w+)"\s*:\s*("(?:[^"\\]|\\.)*")/y

/**
 * Finds out from its first bytes whether a frame is a call, and of which function, without parsing it.
 * The engine writes `type`, `invocation_id` and `function_id` before `data`; whoever does not gets undefined here.
 */
export function parseInvocationHead(frame: Buffer): InvocationHead | undefined {
  const text = frame.toString('utf8', 0, HEAD_BYTES)
  const members: Record<string, string> = {}
  STRING_MEMBER.lastIndex = 0
  for (let match = STRING_MEMBER.exec(text); match !== null; match = STRING_MEMBER.exec(text)) {
    if (match[1] !== undefined && match[2] !== undefined) members[match[1]] = parseString(match[2])
  }
  const { type, invocation_id: invocationId, function_id: functionId } = members as Partial<Record<string, string>>
  if (type !== 'invokefunction' || invocationId === undefined || functionId === undefined) return undefined
  return { functionId, invocationId }
}

function parseString(json: string): string {
  try {
    return String(JSON.parse(json))
  } catch {
    return ''
  }
}
