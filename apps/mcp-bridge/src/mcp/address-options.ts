import type { OptionTable } from '@iii/sdk'
import { z } from 'zod'
import { parseApiPath } from './api-path.ts'

/** What the operator of a bridge can set about its MCP endpoint: where it is, and to whom it answers. */
export interface AddressOptions {
  /** Path of the MCP endpoint on the engine's HTTP port; `mcp` and `/mcp` are the same. @default '/mcp' */
  readonly apiPath: string
  /** Host names that the server answers to, beside the loopback ones. @default [] */
  readonly allowedHosts: readonly string[]
  /** Origins of web pages that may call, beside the loopback ones. @default [] */
  readonly allowedOrigins: readonly string[]
}

const ApiPath = z.string().refine((text) => parseApiPath(text) !== undefined, {
  error: 'must be one to eight segments of letters, digits and . _ ~ -, and not below /.well-known, for example /mcp',
})
const Host = z.string().regex(/^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(:\d+)?$/, {
  error: 'must be a host name, with or without a port, for example mcp.example.com',
})
const Origin = z.string().regex(/^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/\s?#@*]+\/?$/, {
  error: 'must be one origin, whole and without wildcards, for example https://app.example.com',
})

export const ADDRESS_OPTIONS: OptionTable<AddressOptions> = {
  // Never stored: what a proxy lets through depends on the path, and another program's route can be there.
  apiPath: {
    flag: '--api-path',
    yaml: 'api_path',
    schema: ApiPath,
    default: '/mcp',
    describe: "Path of the MCP endpoint on the engine's HTTP port.",
    placeholder: 'PATH',
  },
  allowedHosts: {
    flag: '--allowed-hosts',
    yaml: 'allowed_hosts',
    schema: z.array(Host),
    default: [],
    describe: 'Host names the server answers to, beside localhost, 127.0.0.1 and [::1].',
  },
  allowedOrigins: {
    flag: '--allowed-origins',
    yaml: 'allowed_origins',
    schema: z.array(Origin),
    default: [],
    describe: 'Origins of web pages that may call, beside those of localhost, 127.0.0.1 and [::1].',
  },
}
