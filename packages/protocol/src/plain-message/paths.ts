/**
 * Puts `<path>` for every path of a file system: absolute ones of two segments or more, those of Windows, those under a home, the
 * well-known directories at a root, and source files with a line. Of addresses only the user is masked.
 */
export function maskPaths(text: string): string {
  return text.replace(addressOrPath, mask)
}

/** What ends a path in running text, for a class of characters. */
const END = '\\s"\'`<>()\\[\\]{},;|'
/** JSON may escape a slash. */
const SLASHES = '(?:\\\\*/)+'
/** `:id`, `{id}` and `^` begin no name of a file: they are templates of routes, and patterns. */
const START = `[^${END}/\\\\:?#^…]`
const TAIL = `[^${END}]*(?:(?<=/)[(\\[][\\w. -]*[)\\]][^${END}]*)*`

/** Directories at the root of a machine: also alone, and whatever stands before them. */
const roots =
  '(?:home|usr|tmp|work|workspaces?|root|var|opt|etc|app|srv|mnt|private|Users|Volumes|Library|Applications|nix|snap|proc|sys|boot|__w|builds|rustc)(?![\\w-])'
const windowsRoots = '(?:Users|Windows|ProgramData|Program Files(?: \\(x86\\))?|Documents and Settings)'

/** Where a path can begin although a letter stands before it: `\n` and colours that were written out, flags such as `-I/usr`. */
const afterLetter = '(?<=\\\\[nrt])|(?<=[3Bbe]\\[[\\d;]{1,12}m)|(?<=(?:^|[\\s"\'=,;(])-[A-Za-z])'
/** Scripts that put no blanks between words: a path may follow a letter. */
const unspaced = '[\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Hang}\\p{scx=Thai}]'
const begin = `(?:(?<![\\p{L}\\p{N}\\p{M}_./}#\\\\])|(?<=${unspaced})(?=\\\\*/[!-~])|${afterLetter})`
/** What is called a route is one. */
const noRoute =
  '(?<!(?<![^\\s"\'`(,;])(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS|[Rr]outes?|[Ee]ndpoints?|api_path)(?: is)?:? ["\'`]?)'
const twoSegments = `${noRoute}${SLASHES}${START}[^${END}/\\\\?#]*${SLASHES}(?:${START}|(?=[(\\[][\\w. -]*[)\\]]))`

const user = "(?:(?:[^\\s/?#\"'`<>]|'(?![\\s,;:)\\]}]|$)|<secret>)*|[^\\s/?#:@\"'`<>]*:(?!\\d)[^\\s\"'`<>]{0,256})@"
const host = '(?:\\[[\\dA-Fa-f:.]*(?:%\\w*)?\\])?'

const addressOrPath = new RegExp(
  [
    // An address: its scheme, the user in it, and the rest.
    `(?<![A-Za-z0-9+.-])(?<scheme>[A-Za-z][A-Za-z0-9+.-]{1,20}):(?<slashes>\\\\*/\\\\*/)(?<user>${user})?(?<rest>${host}[^${END}]*(?:\\([^\\s()/"'<>]*\\)[^${END}]*)*)`,
    // Whatever is quoted may hold blanks.
    `(?<=(?<quote>["'\`]))(?:${twoSegments}|${SLASHES}${roots}(?=\\\\*/)|~/|[A-Za-z]:[\\\\/]|\\\\{2})[^"'\`\\r\\n]*?(?=\\\\{0,4}\\k<quote>)`,
    // Windows: with a drive, of a server, at the root of the current drive.
    `(?<![A-Za-z0-9])[A-Za-z]:(?:\\\\+|/(?!/))(?:[^\\\\\\r\\n"<>|:*?]+\\\\+)*[^${END}]*`,
    `(?<![\\w\\\\])\\\\{2,}[\\w.$?-]{2,}\\\\+[^${END}]*`,
    `(?<![\\w.}%\\\\])\\\\+${windowsRoots}\\\\+[^${END}]*`,
    // Unix.
    `(?:(?<![\\w./}\\\\])|${afterLetter})(?:\\.\\.(?:/\\.\\.)*)?${SLASHES}${roots}${TAIL}`,
    `(?<![\\w./}~])~(?:/|[a-z_][\\w-]*/[\\w.-]+/)${TAIL}`,
    `${begin}${twoSegments}${TAIL}`,
    `(?<![\\w./}@-])\\.{0,2}/?(?:[\\w.@-]+/)+[\\w.@-]+\\.(?:[cm]?[jt]sx?|py|rs|go)(?::\\d+)+[^${END}]*`,
  ].join('|'),
  'gu',
)

function mask(match: string, ...found: unknown[]): string {
  const { scheme, slashes, user, rest = '' } = found.at(-1) as Record<string, string | undefined>
  if (scheme === undefined || isLocal(scheme, rest)) return `<path>${toPunctuation(match)}`
  return user === undefined ? match : `${scheme}:${slashes}<secret>@${rest}`
}

/** An address of this machine names a file: `file://…`, `sqlite:///…`. */
function isLocal(scheme: string, rest: string): boolean {
  if (/(?:^|[+.-])(?:file|unix|sqlite3?)$/i.test(scheme)) return true
  return /^\\*\//.test(rest) && !/^(?:https?|wss?|iii|skill)$/i.test(scheme)
}

/** What closes a sentence behind a path does not belong to it. */
function toPunctuation(match: string): string {
  let start = match.length
  while (start > 0 && '.:!?'.includes(match.charAt(start - 1))) start -= 1
  return match.slice(start)
}
