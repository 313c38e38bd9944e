import { z } from 'zod'

/** Clients decode what they are told is base64, and refuse a whole result that they cannot decode. */
export const Base64 = z.string().refine(isBase64, 'must be base64')

/** One piece of what an MCP client shows or reads (MCP `ContentBlock`); further keys, such as `annotations`, are kept: see {@link toAcceptable}. */
export const ContentBlock = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text'), text: z.string() }),
  z.looseObject({ type: z.literal('image'), data: Base64, mimeType: z.string() }),
  z.looseObject({ type: z.literal('audio'), data: Base64, mimeType: z.string() }),
  z.looseObject({ type: z.literal('resource_link'), uri: z.string(), name: z.string() }),
  z.looseObject({
    type: z.literal('resource'),
    resource: z.union([
      z.looseObject({ uri: z.string(), text: z.string() }),
      z.looseObject({ uri: z.string(), blob: Base64 }),
    ]),
  }),
])
export type ContentBlock = z.infer<typeof ContentBlock>

/** One message of a prompt (MCP `PromptMessage`). */
export const PromptMessage = z.looseObject({ role: z.enum(['user', 'assistant']), content: ContentBlock })
export type PromptMessage = z.infer<typeof PromptMessage>

/** Line ends are left to the decoder; letters of base64url it does not know. */
function isBase64(text: string): boolean {
  const bare = /\s/.test(text) ? text.replace(/\s+/g, '') : text
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(bare)) return false
  return bare.endsWith('=') ? bare.length % 4 === 0 : bare.length % 4 !== 1
}

/** What a block may say of itself, and how (MCP 2025-11-25 and 2026-07-28). */
const remarks: Readonly<Record<string, z.ZodType>> = {
  annotations: z.looseObject({
    audience: z.array(z.enum(['user', 'assistant'])).optional(),
    priority: z.number().min(0).max(1).optional(),
    lastModified: z.iso.datetime({ offset: true }).optional(),
  }),
  _meta: z.record(z.string(), z.unknown()),
  mimeType: z.string(),
  title: z.string(),
  description: z.string(),
  size: z.number(),
  icons: z.array(z.looseObject({ src: z.string(), sizes: z.array(z.string()).optional() })),
}

/** A block without the remarks that are malformed: for one of them clients would refuse the whole result. */
export function toAcceptable(block: ContentBlock): ContentBlock {
  const mended = withoutMalformed(block)
  return mended.type === 'resource' ? { ...mended, resource: withoutMalformed(mended.resource) } : mended
}

function withoutMalformed<T extends Readonly<Record<string, unknown>>>(block: T): T {
  const malformed = Object.entries(remarks).filter(([key, form]) => key in block && !form.safeParse(block[key]).success)
  if (malformed.length === 0) return block
  const rest = { ...block }
  for (const [key] of malformed) Reflect.deleteProperty(rest, key)
  return rest
}
