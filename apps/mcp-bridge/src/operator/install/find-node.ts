import { existsSync, realpathSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import type { OperatorHost } from '../host.ts'

/**
 * The path of this Node that lives longest. A version manager or a packager puts a link on the PATH that stays when Node is
 * updated, while the path of the program itself has the version in it and goes with it.
 */
export function findNode({ node, env, platform }: OperatorHost, passing: readonly string[] = PASSING): string {
  const name = platform === 'win32' ? 'node.exe' : 'node'
  const own = toRealPath(node)
  const links = (env['PATH'] ?? '')
    .split(delimiter)
    .filter(
      (folder) => folder.startsWith('/') && !isPassing(folder, [...passing, env['TMPDIR'], env['XDG_RUNTIME_DIR']]),
    )
    .map((folder) => join(folder, name))
  return links.find((link) => existsSync(link) && toRealPath(link) === own) ?? node
}

/** The script of npx that belongs to this Node; undefined when there is none. */
export function findNpx({ node, env, platform }: OperatorHost): string | undefined {
  const prefixes = [dirname(dirname(node)), dirname(node), dirname(dirname(toRealPath(node)))]
  const inPrefixes = prefixes.flatMap((prefix) => [
    join(prefix, 'lib', 'node_modules', 'npm', 'bin', 'npx-cli.js'),
    join(prefix, 'node_modules', 'npm', 'bin', 'npx-cli.js'),
  ])
  const onPath = (env['PATH'] ?? '').split(delimiter).flatMap((folder) => {
    const link = join(folder, 'npx')
    return platform === 'win32' || folder === '' || !existsSync(link) ? [] : [toRealPath(link)]
  })
  return [...inPrefixes, ...onPath].find((path) => path.endsWith('npx-cli.js') && existsSync(path))
}

/** Where folders lie that one shell, or one run, made for itself. */
const PASSING = ['/tmp', '/run', '/var/folders', '/private/tmp', '/private/var']

function isPassing(folder: string, roots: readonly (string | undefined)[]): boolean {
  return (
    folder.includes('node_modules') || roots.some((root) => root !== undefined && root !== '' && isBelow(folder, root))
  )
}

function isBelow(folder: string, root: string): boolean {
  return folder === root || folder.startsWith(root.endsWith('/') ? root : `${root}/`)
}

function toRealPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
