import { StreamableHTTPClientTransport as NewHttp, type Transport as NewTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport as NewStdio } from '@modelcontextprotocol/client/stdio'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { StdioCommand } from './programs.ts'

/** Where a server is: behind an address, or in a process that its client starts. */
export type ServerTarget = string | StdioCommand

export function toOldTransport(target: ServerTarget): Transport {
  const transport =
    typeof target === 'string'
      ? new StreamableHTTPClientTransport(new URL(target))
      : new StdioClientTransport({ ...target, stderr: 'ignore' })
  // The package's own types disagree about optional fields under `exactOptionalPropertyTypes`.
  return transport as Transport
}

export function toNewTransport(target: ServerTarget): NewTransport {
  return typeof target === 'string' ? new NewHttp(new URL(target)) : new NewStdio({ ...target, stderr: 'ignore' })
}
