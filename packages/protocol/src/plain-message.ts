import { cutUtf8 } from './utf8.ts'

/** The longest message a client is shown, in UTF-8 bytes. */
export const MAX_MESSAGE_BYTES = 4096

/**
 * Makes a message fit for a client: no stack lines, `<path>` for every path of the file system, well-formed, at most 4 KiB.
 * URLs (`https://…`, `iii://…`) and words with slashes stay. Stack traces do cross the engine, and with them the layout of the
 * machine they come from.
 *
 * @example
 * toPlainMessage("ENOENT: open '/home/me/orders.json'\n    at open (node:fs:1:1)") // "ENOENT: open '<path>'"
 */
export function toPlainMessage(text: string): string {
  // Beyond the first 64 Ki units nothing can reach the client, so nothing there is worth looking at.
  const shown = text.slice(0, 65_536).toWellFormed()
  const plain = shown.replace(pythonTrace, '').replace(stackLine, '').replace(urlOrPath, replacePath)
  return cutUtf8(plain.trimEnd(), MAX_MESSAGE_BYTES)
}

/** Lines such as `    at f (file:1:2)`, also where a newline was written as `\n` by a second JSON encoding. */
const stackLine = /(?:^|\r?\n|\\n)[ \t]+at (?:(?!\\n)[^\r\n])*/g
/** `Traceback …:` with all its indented lines. */
const pythonTrace = /Traceback \(most recent call last\):(?:\r?\n[ \t]+[^\r\n]*)*(?:\r?\n)?/g

/** Directories at the root of a machine. Those with `*` stand for every name that begins so (`/workspace`). */
const roots =
  'home|usr|tmp|work[\\w-]*|root|var|opt|etc|app|srv|mnt|private|Users|Volumes|Library|Applications|nix|snap|proc|sys|boot|__w|builds|rustc'
const bodyEnd = '\\s"\'`<>()\\[\\]{},;|'

/** Alternatives in order: a URL (kept), a file URL, a quoted path, a Windows path, a UNC path, a Unix path, a source file with a line. */
const urlOrPath = new RegExp(
  [
    `(?<![A-Za-z0-9+.-])(?!file:)[A-Za-z][A-Za-z0-9+.-]{1,20}://(?:\\[[0-9A-Fa-f:.]*\\])?[^${bodyEnd}]*`,
    `[Ff][Ii][Ll][Ee]://[^${bodyEnd}]*`,
    `(?<=(["'\`]))(?:/+(?:${roots})(?=/)|~/|[A-Za-z]:[\\\\/]|\\\\\\\\)[^"'\`\\r\\n]*(?=\\1)`,
    `(?<![A-Za-z0-9])[A-Za-z]:(?:\\\\+|/(?!/))(?:[^\\\\\\r\\n"<>|:*?]+\\\\+)*[^\\\\${bodyEnd}]*`,
    `(?<![\\w\\\\])\\\\\\\\[\\w.$-]+\\\\[^${bodyEnd}]*`,
    `(?<![\\w./}])(?:/+(?:${roots})(?![\\w-])|~/)[^${bodyEnd}]*`,
    `(?<![\\w./}@-])\\.{0,2}/?(?:[\\w.@-]+/)+[\\w.@-]+\\.(?:[cm]?[jt]sx?|py|rs|go)(?::\\d+)+`,
  ].join('|'),
  'g',
)

function replacePath(match: string): string {
  if (/^(?!file:)[A-Za-z][A-Za-z0-9+.-]+:\/\//i.test(match)) return match
  const end = /[.:!?]+$/.exec(match)
  return `<path>${end?.[0] ?? ''}`
}
