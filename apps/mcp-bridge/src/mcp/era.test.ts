import { describe, expect, it } from 'vitest'
import { decodeHeaderValue, headerRevision, META, negotiateRevision, readClaim } from './era.ts'
import { RPC, RpcError } from './rpc.ts'

const meta = {
  [META.protocolVersion]: '2026-07-28',
  [META.clientInfo]: { name: 'tester', version: '1' },
  [META.clientCapabilities]: { sampling: {} },
}
const list = { method: 'tools/list', params: { _meta: meta }, nameParam: undefined, opensSession: false }
const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' }

function code(run: () => unknown): number | undefined {
  try {
    run()
  } catch (error) {
    if (error instanceof RpcError) return error.code
    throw error
  }
  return undefined
}

describe('initialize', () => {
  it.each(['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'])('agrees on %s, which it knows', (revision) => {
    expect(negotiateRevision(revision)).toBe(revision)
  })

  it.each(['2026-07-28', '1999-01-01', 'latest', '', 7])('answers %j with the newest that has sessions', (revision) => {
    expect(negotiateRevision(revision)).toBe('2025-11-25')
  })

  it('means 2025-06-18 when it says nothing', () => {
    expect(negotiateRevision(undefined)).toBe('2025-06-18')
  })
})

describe('the MCP-Protocol-Version header of an older request', () => {
  it('may be missing', () => {
    expect(headerRevision(undefined)).toBe('2025-06-18')
    expect(headerRevision({})).toBe('2025-06-18')
  })

  it('names the revision', () => {
    expect(headerRevision({ 'mcp-protocol-version': ' 2025-03-26 ' })).toBe('2025-03-26')
  })

  it('must name one that is served', () => {
    expect(code(() => headerRevision({ 'mcp-protocol-version': '1999-01-01' }))).toBe(RPC.refused)
  })
})

describe('a 2026-07-28 claim', () => {
  it('says who asks', () => {
    expect(readClaim(list, headers)).toEqual({
      client: { name: 'tester', version: '1' },
      capabilities: { sampling: {} },
    })
  })

  it('may leave the client out', () => {
    const { [META.clientInfo]: _, ...anonymous } = meta
    expect(readClaim({ ...list, params: { _meta: anonymous } }, headers)?.client).toBeUndefined()
  })

  it('is not asked for where the header names a revision that is not served', () => {
    for (const revision of ['2099-01-01', 'x'.repeat(100)]) {
      const data = { supported: ['2026-07-28'], requested: revision.slice(0, 40) }
      for (const params of [{}, { _meta: { [META.protocolVersion]: revision } }]) {
        const later = () => readClaim({ ...list, params }, { 'mcp-protocol-version': revision })
        expect(later).toThrow(expect.objectContaining({ code: RPC.unsupportedVersion, data }))
      }
    }
  })

  it('is not there in an older request', () => {
    expect(readClaim({ ...list, params: {} }, {})).toBeUndefined()
    expect(readClaim({ ...list, params: { _meta: { progressToken: 1 } } }, {})).toBeUndefined()
    expect(readClaim({ ...list, opensSession: true, params: {} }, headers)).toBeUndefined()
  })

  it.each([
    ['without _meta', {}],
    ['without a version', { _meta: { [META.clientCapabilities]: {} } }],
    ['without capabilities', { _meta: { [META.protocolVersion]: '2026-07-28' } }],
    ['with a version that is no text', { _meta: { ...meta, [META.protocolVersion]: 7 } }],
    ['with capabilities that are no object', { _meta: { ...meta, [META.clientCapabilities]: [] } }],
  ])('is malformed %s', (_, params) => {
    expect(code(() => readClaim({ ...list, params }, headers))).toBe(RPC.invalidParams)
  })

  it.each(['loud', 'INFO', '', 3, null, []])('is malformed with the log level %j, which is none', (level) => {
    const run = () => readClaim({ ...list, params: { _meta: { ...meta, [META.logLevel]: level } } }, headers)
    expect(code(run)).toBe(RPC.invalidParams)
    expect(run).toThrow(/logLevel in params\._meta must be one of debug, info, notice/)
  })

  it.each(['debug', 'emergency'])('may ask for messages from %s on', (level) => {
    const params = { _meta: { ...meta, [META.logLevel]: level } }
    expect(readClaim({ ...list, params }, headers)).toBeDefined()
  })

  it('must name a revision that is served', () => {
    const params = { _meta: { ...meta, [META.protocolVersion]: 'v999.0.0' } }
    const run = () => readClaim({ ...list, params }, { ...headers, 'mcp-protocol-version': 'v999.0.0' })
    expect(code(run)).toBe(RPC.unsupportedVersion)
    expect(run).toThrow(expect.objectContaining({ data: { supported: ['2026-07-28'], requested: 'v999.0.0' } }))
  })

  it.each([
    ['another version', { ...headers, 'mcp-protocol-version': '2025-11-25' }],
    ['no version', { 'mcp-method': 'tools/list' }],
    ['another method', { ...headers, 'mcp-method': 'prompts/list' }],
    ['the method in capitals', { ...headers, 'mcp-method': 'TOOLS/LIST' }],
    ['no method', { 'mcp-protocol-version': '2026-07-28' }],
  ])('must not come with headers that name %s', (_, wrong) => {
    expect(code(() => readClaim(list, wrong))).toBe(RPC.headerMismatch)
  })

  it('needs no headers where there is no HTTP', () => {
    expect(readClaim(list, undefined)).toBeDefined()
  })
})

describe('the Mcp-Name header', () => {
  const call = { ...list, method: 'tools/call', params: { _meta: meta, name: 'orders__create' }, nameParam: 'name' }
  const own = { ...headers, 'mcp-method': 'tools/call' }

  it.each(['orders__create', '  orders__create ', `=?base64?${btoa('orders__create')}?=`])('may be "%s"', (name) => {
    expect(readClaim(call, { ...own, 'mcp-name': name })).toBeDefined()
  })

  it.each([undefined, '', 'orders__cancel', '=?base64?!!?='])('must not be "%s"', (name) => {
    expect(code(() => readClaim(call, { ...own, 'mcp-name': name }))).toBe(RPC.headerMismatch)
  })

  it('is told apart from another name where the engine could not read it', () => {
    const read = { ...call, params: { _meta: meta, name: 'shop://tea/grün' } }
    expect(() => readClaim(read, { ...own, 'mcp-name': '' })).toThrow(/not ASCII: .* =\?base64\?…\?=.* with escapes/)
    expect(readClaim(read, { ...own, 'mcp-name': '=?base64?c2hvcDovL3RlYS9ncsO8bg==?=' })).toBeDefined()
  })

  it('may be missing from what is asked of a task, and must not name another one', () => {
    const get = { ...list, method: 'tasks/get', params: { _meta: meta, taskId: 'one' }, nameParam: 'taskId' }
    const plain = { ...headers, 'mcp-method': 'tasks/get' }
    expect(readClaim(get, plain)).toBeDefined()
    expect(readClaim(get, { ...plain, 'mcp-name': 'one' })).toBeDefined()
    expect(code(() => readClaim(get, { ...plain, 'mcp-name': 'two' }))).toBe(RPC.headerMismatch)
  })

  it('is not asked for when the body has no name: that is the method’s own error', () => {
    expect(readClaim({ ...call, params: { _meta: meta } }, own)).toBeDefined()
  })
})

describe('a header value', () => {
  it('is itself unless it is marked', () => {
    expect(decodeHeaderValue('SGVsbG8=')).toBe('SGVsbG8=')
    expect(decodeHeaderValue('=?base64?SGVsbG8=')).toBe('=?base64?SGVsbG8=')
  })

  it('is decoded when it is marked', () => {
    expect(decodeHeaderValue('=?base64?w6TDtsO8?=')).toBe('äöü')
    expect(decodeHeaderValue('=?base64??=')).toBe('')
  })

  it.each(['SGVsbG8', 'SGVs!!!bG8=', '/w==', 'SGVsbG8==='])(
    'is refused for bad padding, alphabet or UTF-8: %s',
    (text) => {
      expect(decodeHeaderValue(`=?base64?${text}?=`)).toBeUndefined()
    },
  )
})
