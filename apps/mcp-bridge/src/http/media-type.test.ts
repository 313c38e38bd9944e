import { describe, expect, it } from 'vitest'
import { refuseBodyType, toReplyForm } from './request.ts'

describe('a request body', () => {
  it.each(['application/json', 'Application/JSON', 'application/json; charset=utf-8', ' application/json ;x=1'])(
    'is read as %s',
    (type) => {
      expect(refuseBodyType({ 'content-type': type })).toBeUndefined()
    },
  )

  it.each(['text/plain', 'application/jsonp', 'application/vnd.x+json', 'text/plain; application/json', ''])(
    'is not read as "%s"',
    (type) => {
      expect(refuseBodyType({ 'content-type': type })).toBe('The Content-Type must be application/json')
    },
  )

  it('is not read without a type', () => {
    expect(refuseBodyType({})).toBeDefined()
  })

  it('is not unpacked', () => {
    const headers = { 'content-type': 'application/json' }
    expect(refuseBodyType({ ...headers, 'content-encoding': 'gzip' })).toMatch(/Content-Encoding/)
    expect(refuseBodyType({ ...headers, 'content-encoding': 'identity' })).toBeUndefined()
  })
})

describe('a reply', () => {
  it.each([
    'text/event-stream',
    'TEXT/EVENT-STREAM',
    'text/event-stream;q=0.9',
    'text/html, text/event-stream',
    'text/event-stream, application/json;q=0',
    'text/event-stream, application/json; charset=utf-8; q=0.000, */*',
    'text/*',
  ])('is events for a client that accepts %s', (accept) => {
    expect(toReplyForm(accept)).toBe('event')
  })

  it.each([
    undefined,
    '',
    'application/json',
    'application/*',
    'text/event-stream;q=0',
    'text/event-stream;q=0, */*',
    '*/*;q=0',
    'text/html',
    'x-text/event-stream',
  ])('is JSON for a client that accepts %s', (accept) => {
    expect(toReplyForm(accept)).toBe('json')
  })

  it.each([
    '*/*',
    'application/json, text/event-stream',
    'application/json,text/event-stream',
    'text/event-stream, */*;q=0.1',
    'text/event-stream, application/*',
    'text/html, */*',
  ])('is whichever fits for a client that accepts %s', (accept) => {
    expect(toReplyForm(accept)).toBe('either')
  })
})
