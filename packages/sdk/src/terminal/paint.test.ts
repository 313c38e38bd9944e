import { describe, expect, it } from 'vitest'
import { createPaint } from './paint.ts'

describe('colour', () => {
  it.each([
    [true, {}, true],
    [true, { TERM: 'xterm-256color', NO_COLOR: '' }, true],
    [true, { NO_COLOR: '1' }, false],
    [true, { TERM: 'dumb' }, false],
    [false, {}, false],
    [undefined, {}, false],
  ])('on a stream that says %j, with %j, is %j', (isTTY, env, isColoured) => {
    expect(createPaint({ isTTY }, env)('red', 'x')).toBe(isColoured ? '\u001b[31mx\u001b[39m' : 'x')
  })
})
