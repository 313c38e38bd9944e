import { z } from 'zod'
import { toSha256 } from '../renditions/render.ts'
import { type RecordKind, ROW_BYTES, type Sized } from '../store/record-kind.ts'

/** What is in a file of a skill, under the skill's id and the digest of the content: a row is never changed, so that whoever reads it by what a skill says of its files gets exactly that. */
export interface FileRow {
  /** Of the skill. */
  id: string
  /** Of the bytes, in hex. */
  sha256: string
  text?: string | undefined
  base64?: string | undefined
  registered_at: string
}

/** What the index knows of a content. */
export interface FileInfo extends Sized {
  id: string
  sha256: string
}

export const fileRecords: RecordKind<FileRow, FileInfo> = {
  what: 'skill file',
  schema: z
    .object({
      id: z.string(),
      sha256: z.string(),
      text: z.string().optional(),
      base64: z.string().optional(),
      registered_at: z.string(),
    })
    .refine(({ text, base64 }) => (text === undefined) !== (base64 === undefined))
    // Whoever writes to the scope directly must not be served under the digest of something else.
    .refine((row) => toContentHash(row) === row.sha256, { path: ['sha256'], message: 'not that of the content' }),
  keyOf: toFileKey,
  contentOf: ({ text, base64 }) => (text === undefined ? `base64 ${base64}` : `text ${text}`),
  toEntry: (row) => ({
    id: row.id,
    sha256: row.sha256,
    bytes: toBytes(row).length,
    registered_at: row.registered_at,
  }),
  entrySchema: z.object({
    id: z.string(),
    sha256: z.string(),
    bytes: z.int().nonnegative(),
    registered_at: z.string(),
  }),
  sizeOf: ({ id, sha256, bytes }) => ROW_BYTES + Buffer.byteLength(id) + sha256.length + bytes,
}

/** No id has a `#`. */
export function toFileKey({ id, sha256 }: Pick<FileRow, 'id' | 'sha256'>): string {
  return `${id}#${sha256}`
}

export function toBytes({ text, base64 = '' }: Pick<FileRow, 'text' | 'base64'>): Buffer {
  return text === undefined ? Buffer.from(base64, 'base64') : Buffer.from(text)
}

/** SHA-256 of the bytes, in hex. */
export function toContentHash({ text, base64 }: Pick<FileRow, 'text' | 'base64'>): string {
  return toSha256(toBytes({ text, base64 }))
}
