import type { ConfigLock } from '../settings/config-lock.ts'
import { CommandFailure, EXIT } from './exit-code.ts'

/** @throws CommandFailure `usage` with all mistakes of the file, a line each, for one that no worker could use */
export function requireUsableFile({ locked }: { readonly locked: ConfigLock | undefined }): void {
  if (locked === undefined) return
  const { file, mistakes } = locked
  const [first, ...others] = mistakes
  const told = others.length === 0 ? ` ${first}` : mistakes.map((mistake) => `\n  ${mistake}`).join('')
  throw new CommandFailure(EXIT.usage, `${file}:${told}`)
}
