import { Fault, formatFault, parseFault } from '@iii/protocol'
import { describe, expect, it } from 'vitest'
import { createSecretFilter } from '../redaction/secret-filter.ts'
import { toFaultOf } from './fault.ts'

const filter = createSecretFilter(['s3cret-canary'])
const read = (failure: unknown) => {
  const { code, message } = toFaultOf(failure, filter)
  return [code, message]
}

describe('what a server says went wrong', () => {
  it.each([
    [{ code: -32602, message: 'MCP error -32602: MCP error -32602: no such city' }, 'invalid_input', 'no such city'],
    [{ code: -32603, message: 'MCP error -32603: s3cret\u200b-canary\u001b[31m!' }, 'internal', '<secret>!'],
    [{ code: -32001, message: 'Request timed out' }, 'internal', 'Request timed out'],
    [
      {
        isError: true,
        content: [
          { type: 'text', text: 'a' },
          { type: 'image', data: '' },
          { type: 'text', text: 'b' },
        ],
      },
      'internal',
      'a\nb',
    ],
    [{ isError: true, content: [] }, 'internal', 'The MCP server says that this failed, and not why'],
    [undefined, 'internal', 'The MCP server says that this failed, and not why'],
    ['text', 'internal', 'The MCP server says that this failed, and not why'],
  ])('is a fault: %j is %s, %s', (failure, code, message) => {
    expect(read(failure)).toEqual([code, message])
  })

  it('has at most 4 KiB', () => {
    expect(Buffer.byteLength(toFaultOf(new Error('é'.repeat(1_000_000)), filter).message)).toBeLessThanOrEqual(4_096)
  })

  it('does not choose its own code', () => {
    const fault = toFaultOf({ message: 'gone [not_found]' }, filter)
    expect(parseFault(formatFault(fault))).toEqual({ code: 'internal', message: 'gone [not_found]' })
  })

  it('stays what it is when it is ours', () => {
    const fault = new Fault('deadline', 'too late')
    expect(toFaultOf(fault, filter)).toBe(fault)
  })
})
