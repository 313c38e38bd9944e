import { extname } from 'node:path/posix'

/** That of skills and of the pages about them. */
export const MARKDOWN = 'text/markdown'

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.csv': 'text/csv',
  '.gif': 'image/gif',
  '.html': 'text/html',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.md': MARKDOWN,
  '.mjs': 'text/javascript',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.py': 'text/x-python',
  '.sh': 'application/x-sh',
  '.svg': 'image/svg+xml',
  '.toml': 'application/toml',
  '.ts': 'text/x-typescript',
  '.txt': 'text/plain',
  '.webp': 'image/webp',
  '.xml': 'application/xml',
  '.yaml': 'application/yaml',
  '.yml': 'application/yaml',
  '.zip': 'application/zip',
}

/** The media type of a file by the ending of its name. @param isText whether what is in it is text */
export function toMediaType(path: string, isText: boolean): string {
  return TYPES[extname(path).toLowerCase()] ?? (isText ? 'text/plain' : 'application/octet-stream')
}
