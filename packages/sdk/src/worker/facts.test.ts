import { McpMetadata, RunsMetadata, readMcpMetadata } from '@iii/protocol'
import { describe, expect, it } from 'vitest'
import { toMetadata } from './facts.ts'

const NOT_SAYABLE = 'is nothing that a function can say about itself'

describe('what a function says about itself', () => {
  it('lies flat in its metadata, beside what others wrote there', () => {
    const mcp = { title: 'Make tea', annotations: { readOnlyHint: false }, tier: undefined }
    const metadata = toMetadata({ shop: 7, 'mcp.title': 'Tea', 'mcp.expose': true }, mcp as McpMetadata)
    expect(metadata).toEqual({
      shop: 7,
      'mcp.title': 'Make tea',
      'mcp.expose': true,
      'mcp.annotations': { readOnlyHint: false },
    })
    expect(readMcpMetadata(metadata)).toEqual({ title: 'Make tea', expose: true, annotations: { readOnlyHint: false } })
  })

  it.each([
    [{ 'mcp.titel': 'Tea' }, `'mcp.titel' ${NOT_SAYABLE}; did you mean 'mcp.title'?`],
    [{ mcp: { titel: 'Tea' } }, `'mcp.titel' ${NOT_SAYABLE}; did you mean 'mcp.title'?`],
    [{ 'mcp.timeoutMs': 5 }, `'mcp.timeoutMs' ${NOT_SAYABLE}; did you mean 'mcp.timeout_ms'?`],
    [{ 'mcp.readOnly': true }, `'mcp.readOnly' ${NOT_SAYABLE}; did you mean 'mcp.annotations.readOnlyHint'?`],
    [
      { 'mcp.annotations': { readOnly: true } },
      `'mcp.annotations.readOnly' ${NOT_SAYABLE}; did you mean 'mcp.annotations.readOnlyHint'?`,
    ],
    [{ 'runs.depend_on': ['a::b'] }, `'runs.depend_on' ${NOT_SAYABLE}; did you mean 'runs.depends_on'?`],
    [{ 'mcp.timeout_ms': '5 s' }, 'mcp.timeout_ms: must be a number, not a string'],
    [
      { 'mcp.annotations': { readOnlyHint: 'yes' } },
      'mcp.annotations.readOnlyHint: must be true or false, not a string',
    ],
    [{ mcp: { expose: 'no' } }, 'mcp.expose: must be true or false, not a string'],
    [{ 'mcp.task': 'yes' }, 'mcp.task: must be one of "optional", "required"'],
  ])('is refused where it is mistyped: %o', (metadata, says) => {
    expect(() => toMetadata(metadata)).toThrow(expect.objectContaining({ code: 'invalid_input', message: says }))
  })

  it.each([
    [{ titel: 'Tea' }, `'mcp.titel' ${NOT_SAYABLE}; did you mean 'mcp.title'?`],
    [
      { annotations: { readOnly: true } },
      `'mcp.annotations.readOnly' ${NOT_SAYABLE}; did you mean 'mcp.annotations.readOnlyHint'?`,
    ],
    [{ colour: 'green' }, `'mcp.colour' ${NOT_SAYABLE}`],
  ])('is refused among the options where it is mistyped: %o', (mcp, says) => {
    expect(() => toMetadata({}, mcp as McpMetadata)).toThrow(
      expect.objectContaining({ code: 'invalid_input', message: says }),
    )
  })

  it('may be what only a newer bridge knows, or nothing', () => {
    const metadata = { 'mcp.colour': 'green', 'mcp.title': null, mcp: 'tea', runs: null, titel: 'Tea', 'mcp.': 1 }
    expect(toMetadata(metadata)).toEqual(metadata)
  })

  it.each([
    ...Object.keys(McpMetadata.shape).map((field) => ['mcp', field]),
    ...Object.keys(RunsMetadata.shape).map((field) => ['runs', field]),
  ])('has every field that is read: %s.%s', (room, field) => {
    expect(toMetadata({ [`${room}.${field}`]: undefined })).toHaveProperty([`${room}.${field}`])
  })
})
