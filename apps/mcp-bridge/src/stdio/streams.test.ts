import { once } from 'node:events'
import { PassThrough, Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { takeStdio } from './streams.ts'

function stage() {
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() }
  return { ...streams, said: (stream: PassThrough) => String(stream.read() ?? '') }
}

describe('stdin and stdout that were taken for MCP', () => {
  it('carry MCP alone: whatever else is printed goes to stderr', async () => {
    const it = stage()
    const { input, output } = takeStdio(it)
    expect(input).toBe(it.stdin)
    output.write('{"a":1}\n')
    it.stdout.write('careless\n')
    expect(it.said(it.stdout)).toBe('{"a":1}\n')
    expect(it.said(it.stderr)).toBe('careless\n')
  })

  it('tell that nobody reads any more', async () => {
    const it = stage()
    const { output } = takeStdio(it)
    const closed = once(output, 'close')
    it.stdout.emit('error', new Error('EPIPE'))
    await closed
    expect(output.writable).toBe(false)
  })

  it('survive a line that is written to a client that has gone', async () => {
    const failing = new Writable({ write: (_line, _encoding, done) => done(new Error('EPIPE')) })
    const { output } = takeStdio({ ...stage(), stdout: failing })
    const closed = new Promise((resolve) => output.on('close', resolve))
    output.write('{"a":1}\n')
    await closed
    expect(output.writable).toBe(false)
  })

  it('say what they are for to somebody at a terminal', () => {
    const { stdin, ...it } = stage()
    takeStdio({ ...it, stdin: Object.assign(stdin, { isTTY: true }) })
    expect(it.said(it.stderr)).toContain('iii-mcp --no-stdio')
    expect(it.said(it.stdout)).toBe('')
  })
})
