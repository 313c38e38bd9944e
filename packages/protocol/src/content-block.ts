import { z } from 'zod'

/** One piece of what an MCP client shows or reads (MCP `ContentBlock`); further keys, such as `annotations`, are kept. */
export const ContentBlock = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text'), text: z.string() }),
  z.looseObject({ type: z.literal('image'), data: z.string(), mimeType: z.string() }),
  z.looseObject({ type: z.literal('audio'), data: z.string(), mimeType: z.string() }),
  z.looseObject({ type: z.literal('resource_link'), uri: z.string(), name: z.string() }),
  z.looseObject({
    type: z.literal('resource'),
    resource: z.union([
      z.looseObject({ uri: z.string(), text: z.string() }),
      z.looseObject({ uri: z.string(), blob: z.string() }),
    ]),
  }),
])
export type ContentBlock = z.infer<typeof ContentBlock>

/** One message of a prompt (MCP `PromptMessage`). */
export const PromptMessage = z.looseObject({ role: z.enum(['user', 'assistant']), content: ContentBlock })
export type PromptMessage = z.infer<typeof PromptMessage>
