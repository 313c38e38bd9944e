/** What the page needs of the official client; its build makes a program of its own of this. */
export { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
