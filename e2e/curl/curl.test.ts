import { describe, expect, it } from 'vitest'
import { parseCurlCommand } from './command-line.ts'
import { runPipeline } from './pipeline.ts'

describe('a curl line', () => {
  it('is read with options run together, continued lines, a comment and a pipe', () => {
    const line = `# what it shows
curl -sNX POST http://127.0.0.1:3111/mcp \\
  -H 'content-type: application/json' \\
  -H "accept: text/event-stream" \\
  -d '{"id":1,"text":"a | b # c"}' \\
  | sed -n 's/^data: //p' | jq '.result'`
    expect(parseCurlCommand(line)).toEqual({
      method: 'POST',
      url: 'http://127.0.0.1:3111/mcp',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: '{"id":1,"text":"a | b # c"}',
      pipeline: [
        ['sed', '-n', 's/^data: //p'],
        ['jq', '.result'],
      ],
    })
  })

  it('is a GET without -X and glues quoted pieces together like a shell', () => {
    expect(parseCurlCommand(`curl -s http://h/'a b'"c"`)).toMatchObject({ method: 'GET', url: 'http://h/a bc' })
  })

  it.each(['wget x', 'curl --silent x', 'curl -k x', 'curl -X', "curl 'open"])(
    'is refused when not understood: %s',
    (line) => {
      expect(() => parseCurlCommand(line)).toThrow()
    },
  )
})

describe('a pipe', () => {
  const reply = '{"tools":[{"name":"a"},{"name":"b"}],"text":null}'

  it.each([
    ['.tools[].name', '"a"\n"b"'],
    ['.tools[1].name', '"b"'],
    ['.text', 'null'],
    ['.missing.too', 'null'],
  ])('through jq %s shows the values one a line', (path, shown) => {
    expect(runPipeline([['jq', path]], reply)).toBe(shown)
  })

  it('through sed shows the data lines of an event stream', () => {
    const stream = `event: message\r\ndata: ${reply}\r\n\r\n`
    expect(
      runPipeline(
        [
          ['sed', '-n', 's/^data: //p'],
          ['jq', '.tools[0].name'],
        ],
        stream,
      ),
    ).toBe('"a"')
  })

  it.each([[['grep', 'x']], [['sed', 's/a/b/']], [['jq', '.a | .b']], [['jq', '.text[]']]])(
    'through %j is refused or fails',
    (stage) => {
      expect(() => runPipeline([stage], reply)).toThrow()
    },
  )
})
