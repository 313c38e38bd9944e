import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What the licences of others ask for: their texts travel with their code. @param inputs absolute paths of what a file is made of */
export function formatLicences(inputs: readonly string[]): string {
  const folders = inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0] ?? [])
  const texts = [...new Set(folders)].map(readLicence)
  return texts.length === 0
    ? ''
    : `\n/*\nThis file contains:\n\n${withPlainMarks(texts.sort().join('\n\n')).replaceAll('*/', '* /')}\n*/\n`
}

/** One typographic mark would make two bytes of each letter of the whole program, in the memory of whoever runs it. */
function withPlainMarks(text: string): string {
  return text
    .replaceAll(/[\u2018\u2019]/g, "'")
    .replaceAll(/[\u201c\u201d]/g, '"')
    .replaceAll(/[\u2013\u2014]/g, '-')
}

function readLicence(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<
    string,
    string
  >
  const texts = findLicences(folder).map((file) => readFileSync(file, 'utf8').trim())
  return [`${name} ${version}, ${license}`, ...texts].join('\n\n')
}

/** A file, or all in a folder, as those have them who follow REUSE. */
function findLicences(folder: string): string[] {
  const named = readdirSync(folder, { withFileTypes: true }).filter(({ name }) => /^licen[cs]e/i.test(name))
  const file = named.find((entry) => !entry.isDirectory())
  if (file !== undefined) return [join(folder, file.name)]
  return named
    .flatMap(({ name }) => readdirSync(join(folder, name), { withFileTypes: true, recursive: true }))
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort()
}
