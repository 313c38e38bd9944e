import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toPlainMessage } from './index.ts'
import { dropStacks } from './stacks.ts'

describe('a message for a client', () => {
  it.each([
    ['boom\n    at f (/home/me/x.js:1:2)\n    at async g (node:internal/x:1:2)', 'boom'],
    ['boom\r\n\tat f\r\nmore', 'boom\r\nmore'],
    ['    at f (x:1:2)\nboom', '\nboom'],
    ['{"stack":"boom\\n    at f (x)\\n    at g"}', '{"stack":"boom'],
    [
      'Traceback (most recent call last):\n  File "/x/y.py", line 3, in f\n    raise X("\\n")\nValueError: no',
      'ValueError: no',
    ],
    [
      'failed: Traceback (most recent call last):\\n  File \\"/x/y.py\\", line 3, in f\\n    raise X\\nValueError: no',
      'failed: ValueError: no',
    ],
    [
      '  + Exception Group Traceback (most recent call last):\n  |   File "x.py", line 3, in f\n  |     raise\n  | ExceptionGroup: two (2 sub-exceptions)',
      '    | ExceptionGroup: two (2 sub-exceptions)',
    ],
    [
      "thread 'main' panicked:\nboom\nstack backtrace:\n   0: begin_unwind\n             at src/a.rs:1:5\n   1: main\nnote: short",
      "thread 'main' panicked:\nboom\nnote: short",
    ],
    [
      'no order\n\nCaused by:\n    0: no row\n\nStack backtrace:\n   0: shop::find\n   1: main',
      'no order\n\nCaused by:\n    0: no row',
    ],
    ['no\\nStack backtrace:\\n   0: shop::find\\n   1: main\\nmore', 'no\\nmore'],
    ['panic: no\n\ngoroutine 1 [running]:\nmain.main()\n\tx.go:3 +0x1d\nexit status 2\n\nmore', 'panic: no\n\n\nmore'],
    ['no\nStack trace:\n   at f (x)\n--- End of stack trace\n   0: g\nmore', 'no\nmore'],
    ['goroutine 18 [chan receive, 2 minutes]:\\nmain.f(0x1)\\n\\tx.go:3', ''],
    ['Uncaught Exception: no\nStack trace:\n#0 x.php(3): f()\n#1 {main}\n  thrown on line 3', 'Uncaught Exception: no'],
    [
      'Bad: no\n\tat a.B.c(B.java:3)\nCaused by: Worse: no\n\tat a.B.d(B.java:9)\n\t... 3 more',
      'Bad: no\nCaused by: Worse: no',
    ],
    ["x.rb:3:in `f': no (RuntimeError)\n\tfrom x.rb:9:in `<main>'", "x.rb:3:in `f': no (RuntimeError)"],
    ['Bad: no\n   at A.B()\n--- End of stack trace from previous location ---\n   at C()', 'Bad: no'],
  ])('has no stack after %j', (text, plain) => {
    expect(toPlainMessage(text)).toBe(plain)
  })

  it.each([
    'The stack trace: a page\n  of its own',
    'goroutine 1 [running]',
    'Lines that are wrong:\n  from 3 to 5\n  ... 3 moreover',
  ])('is no stack in %j', (text) => {
    expect(toPlainMessage(text)).toBe(text)
  })

  it('is the same when its stacks are taken out again', () => {
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 8 }), (parts) => {
        const once = dropStacks(parts.join(''))
        expect(dropStacks(once)).toBe(once)
      }),
      { numRuns: 5000 },
    )
  })
})

const pieces = fc.constantFrom(
  ...['stack backtrace:', 'Stack trace:', 'goroutine 1 [running]:', '--- End of stack trace', '#0 ', '   0: '],
  ...[
    '\n',
    '\\n',
    '\r\n',
    ' ',
    '\t',
    '   at ',
    '\t... 3 more',
    ' from x.rb:9:in ',
    'main',
    '+ Exception Group ',
    '  | ',
  ],
)
