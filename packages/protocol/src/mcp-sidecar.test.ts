import fc from 'fast-check'
import { expect, it } from 'vitest'
import { InputRequired, McpSidecar, ProtocolError, readMcpSidecar } from './mcp-sidecar.ts'

const sidecar = {
  call_id: 'c1',
  via: 'mcp::b1',
  client: { name: 'inspector', version: '2.0.0' },
  client_capabilities: { elicitation: { form: {} } },
  progress: true,
  input_responses: { confirm: { action: 'accept' } },
  request_state: 'sealed',
  uri: 'orders://7',
  variables: { id: '7', tags: ['a', 'b'] },
}

it('the sidecar is read from the metadata of the call, further keys included', () => {
  expect(readMcpSidecar({ mcp: { ...sidecar, later: 1 }, trace: 'x' })).toEqual({ ...sidecar, later: 1 })
  expect(readMcpSidecar({ mcp: { call_id: 'c1', via: 'mcp::b1' } })).toEqual({ call_id: 'c1', via: 'mcp::b1' })
})

it.each([undefined, null, 'mcp', [], {}, { mcp: {} }, { mcp: { call_id: 'c1' } }, { mcp: { ...sidecar, via: 7 } }])(
  'a call with the metadata %j did not come through a bridge',
  (metadata) => {
    expect(readMcpSidecar(metadata)).toBeUndefined()
  },
)

it('anything may stand where the sidecar is looked for', () => {
  fc.assert(
    fc.property(fc.anything(), (value) => {
      const read = readMcpSidecar({ mcp: value })
      expect(read === undefined || McpSidecar.safeParse(read).success).toBe(true)
    }),
  )
})

it('questions to the client carry their MCP requests by key', () => {
  const questions = {
    result_type: 'input_required',
    input_requests: { confirm: { method: 'elicitation/create', params: { message: 'Sure?' } } },
    request_state: 's',
  }
  expect(InputRequired.parse(questions)).toEqual(questions)
  expect(InputRequired.safeParse({ ...questions, result_type: 'complete' }).success).toBe(false)
  const waiting = { result_type: 'input_required', request_state: 's' }
  expect(InputRequired.parse(waiting)).toEqual({ ...waiting, input_requests: {} })
})

it('an error of the protocol may come without data', () => {
  const error = { result_type: 'protocol_error', code: -32_603, message: 'Broken' }
  expect(ProtocolError.safeParse(error).success).toBe(true)
  expect(ProtocolError.safeParse({ ...error, data: { at: 1 } }).success).toBe(true)
  expect(ProtocolError.safeParse({ ...error, code: 'x' }).success).toBe(false)
})
