import { isAbsolute, relative, resolve, sep } from 'node:path'
import type { Diagnostic } from '../diagnostics/diagnostic.ts'
import { malformed } from './malformed.ts'

/** `.`, `./x`, `../x`, `/x`, `C:\\x`; also behind the `=` of a flag. */
const PATH = /^(?:-[^=]*=)?(\.{1,2}(?:[/\\].*)?|[/\\].*|[A-Za-z]:[/\\].*)$/s

interface Words {
  readonly args: readonly string[]
  /** Absolute. */
  readonly cwd: string
}

/**
 * Warns of a server that is handed the folder in which the file lies: one that writes what its callers want lets them name and trust
 * servers.
 *
 * @param folder absolute: that of the file
 */
export function findWithinReach(place: string, { args, cwd }: Words, folder: string): Diagnostic[] {
  return args.flatMap((arg, at) => {
    const [, path] = PATH.exec(arg) ?? []
    if (path === undefined || !holds(resolve(cwd, path), folder)) return []
    const rule =
      'gives the server the folder of this file: if its tools write files, whoever calls them can name and trust servers here; give it another folder, or deny those tools'
    return [malformed(`${place}.args[${at}]`, rule, 'file_within_reach')]
  })
}

function holds(outer: string, inner: string): boolean {
  const way = relative(outer, inner)
  return way === '' || !(way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way))
}
