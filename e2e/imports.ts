import { readFileSync } from 'node:fs'
import { posix } from 'node:path'

/** One file that imports another of its package, types included. */
export interface FileImport {
  readonly from: string
  readonly to: string
}

const RELATIVE = /(?:from|import)\s*\(?\s*'(\.[^']+)'/g

/** What these files import by path. @param root where their paths begin */
export function readImports(files: readonly string[], root: URL): FileImport[] {
  return files.flatMap((from) =>
    [...readFileSync(new URL(from, root), 'utf8').matchAll(RELATIVE)].map(([, path = '']) => ({
      from,
      to: posix.join(posix.dirname(from), path),
    })),
  )
}

/** Files that import each other, each circle once: `a → b → a`. */
export function findCircles(imports: readonly FileImport[]): string[] {
  const next = new Map<string, string[]>()
  for (const { from, to } of imports) next.set(from, [...(next.get(from) ?? []), to])
  const done = new Set<string>()
  const circles = new Set<string>()
  const path: string[] = []

  function walk(file: string): void {
    const at = path.indexOf(file)
    if (at >= 0) circles.add([...path.slice(at), file].join(' → '))
    if (at >= 0 || done.has(file)) return
    path.push(file)
    for (const to of next.get(file) ?? []) walk(to)
    path.pop()
    done.add(file)
  }

  for (const file of next.keys()) walk(file)
  return [...circles]
}
