import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { UsageError } from '../usage.ts'

/** The files of tests in a folder, from the top of the repository. */
export function listTestFiles(folder: string): string[] {
  const names = readdirSync(fileURLToPath(new URL(`../../${folder}/`, import.meta.url)))
  return names.filter((name) => name.endsWith('.test.ts')).map((name) => `${folder}/${name}`)
}

/**
 * Those that words of the command line choose, as vitest has it; all without any.
 *
 * @throws Refusal for a word that chooses none
 */
export function chooseFiles(files: readonly string[], words: readonly string[]): string[] {
  const idle = words.filter((word) => !files.some((file) => isMeant(file, word)))
  if (idle.length > 0)
    throw new UsageError(`No file has ${idle.join(' or ')} in its name: there are ${files.join(', ')}`)
  return pickMeant(files, words)
}

/** Those that words choose, if any; all without any. */
export function pickMeant(files: readonly string[], words: readonly string[]): string[] {
  return files.filter((file) => words.length === 0 || words.some((word) => isMeant(file, word)))
}

function isMeant(file: string, word: string): boolean {
  return file.toLowerCase().includes(word.toLowerCase())
}
