import { describe, expect, it } from 'vitest'
import { toMiddlewareReply } from './return-value.ts'

describe('what a middleware responds with', () => {
  // Measured on 0.22.1 and 0.23.0-rc.4.
  it.each([
    [
      '{"status_code":401,"body":"no","headers":{"content-type":"text/plain"}}',
      401,
      'content-type: text/plain',
      '"no"',
    ],
    ['{"body":"text","headers":{"Content-Type":"text/html"}}', 200, 'content-type: text/html', '"text"'],
    ['{"body":{"no":1}}', 200, 'content-type: application/json', '{"no":1}'],
    ['{"status_code":302,"headers":{"location":"/x"}}', 302, 'location: /x, content-type: application/json', 'null'],
    ['{"headers":["x-a: c"]}', 200, 'content-type: application/json', 'null'],
    ['{}', 200, 'content-type: application/json', 'null'],
    ['null', 200, 'content-type: application/json', 'null'],
    ['"text"', 200, 'content-type: application/json', 'null'],
  ])('of %s is JSON whatever its type', (response, status, said, body) => {
    const reply = toMiddlewareReply(response)
    const raw = reply.headers.toRaw()
    const lines = raw.flatMap((name, i) => (i % 2 === 0 ? [`${name}: ${raw[i + 1]}`] : []))
    expect([reply.status, lines.join(', '), reply.body]).toEqual([status, said, body])
  })
})
