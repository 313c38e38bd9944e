/** An MCP server as others write them, on the official SDK: it knows nothing of iii. `start` runs it by way of `mcp-client`. */
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { createNotesServer } from './server.ts'

serveStdio(createNotesServer)
