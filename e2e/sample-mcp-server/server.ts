import { setTimeout as pause } from 'node:timers/promises'
import { McpServer, type ServerContext } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { createNotebook, formatNotes, MAX_NOTES, MAX_TEXT, type Notebook, splitWords } from './notebook.ts'

/** How long it looks at one note when it counts: long enough that somebody can see the progress. */
const LOOK_MS = 20

/** The server `notes`: three tools, a resource and a prompt about notes that are gone when it ends. */
export function createNotesServer(): McpServer {
  const book = createNotebook()
  const server = new McpServer({ name: 'notes', version: '0.1.0' })
  serveTools(server, book)
  serveTexts(server, book)
  return server
}

function serveTools(server: McpServer, book: Notebook): void {
  server.registerTool(
    'add',
    {
      description: 'Takes down a note. It is there as long as the server runs.',
      inputSchema: z.strictObject({ text: z.string().trim().min(1).max(MAX_TEXT).describe('What to take down') }),
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
    },
    ({ text }) => {
      const note = book.add(text)
      if (note === undefined) return { ...say(`There is no room: ${MAX_NOTES} notes are all.`), isError: true }
      return say(`Note ${note.id} is taken down.`)
    },
  )
  server.registerTool(
    'find',
    {
      description: 'Finds the notes that have all of the given words; without words all notes.',
      inputSchema: z.strictObject({
        words: z.string().max(MAX_TEXT).default('').describe('Words, with spaces between them'),
      }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    ({ words }) => say(formatNotes(book.find(words))),
  )
  server.registerTool(
    'count',
    {
      description: 'Counts notes and words, and tells after each note how far it is.',
      inputSchema: z.strictObject({}),
      outputSchema: z.object({ notes: z.number(), words: z.number() }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    async (_input, context) => {
      const counted = await count(book, context)
      return { ...say(`${counted.words} words in ${counted.notes} notes`), structuredContent: counted }
    },
  )
}

async function count({ notes }: Notebook, { mcpReq }: ServerContext): Promise<{ notes: number; words: number }> {
  const progressToken = mcpReq._meta?.progressToken
  const total = notes.length
  let words = 0
  for (const [at, { text }] of notes.slice(0, total).entries()) {
    await pause(LOOK_MS, undefined, { signal: mcpReq.signal })
    words += splitWords(text).length
    if (progressToken === undefined) continue
    await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress: at + 1, total } })
  }
  return { notes: total, words }
}

function serveTexts(server: McpServer, book: Notebook): void {
  server.registerResource(
    'all notes',
    'notes://all',
    { description: 'All notes as text', mimeType: 'text/plain' },
    ({ href }) => ({ contents: [{ uri: href, mimeType: 'text/plain', text: formatNotes(book.notes) }] }),
  )
  server.registerPrompt(
    'tidy-up',
    {
      description: 'Puts the notes into order',
      argsSchema: z.object({ by: z.string().max(200).describe('What to sort them by, for example urgency') }),
    },
    ({ by }) => ({
      messages: [
        { role: 'user', content: { type: 'text', text: `Sort these notes by ${by}:\n\n${formatNotes(book.notes)}` } },
      ],
    }),
  )
}

function say(text: string): { content: { type: 'text'; text: string }[] } {
  return { content: [{ type: 'text', text }] }
}
