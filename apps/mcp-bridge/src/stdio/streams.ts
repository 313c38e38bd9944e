import { type Readable, Writable } from 'node:stream'

/** What a client that started this process reads and writes. */
export interface StdioStreams {
  readonly input: Readable
  readonly output: Writable
}

/** The streams of a process, as far as they are needed. */
export interface Terminal {
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly stdout: Writable
  readonly stderr: Writable
}

/** For somebody who has started the server by hand. */
const HINT = `iii-mcp speaks MCP on stdin and stdout now; an MCP client is meant to start it so. Ctrl-C ends it.
  to have a client start it:   iii-mcp install claude-desktop (or claude-code, cursor, vscode, …)
  to serve MCP over HTTP:      iii-mcp --no-stdio
`

/** Takes stdin and stdout for MCP: from now on, whatever anybody else prints goes to stderr. */
export function takeStdio({ stdin, stdout, stderr }: Terminal): StdioStreams {
  if (stdin.isTTY === true) stderr.write(HINT)
  const write = stdout.write.bind(stdout)
  stdout.write = stderr.write.bind(stderr)
  const output = new Writable({
    decodeStrings: false,
    write: (line: string, _, done) => void write(line, done),
  })
  // A line that nobody reads any more fails here; who writes learns it from the end that follows.
  output.on('error', () => undefined)
  stdout.on('error', () => output.destroy())
  stdout.on('close', () => output.destroy())
  return { input: stdin, output }
}
