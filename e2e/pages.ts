import { readdirSync, readFileSync } from 'node:fs'

/** The documents for users, as text. */

const ROOT = new URL('../', import.meta.url)

/** A code block of a page. */
export interface CodeBlock {
  readonly language: string
  readonly code: string
}

/** All pages for users, as paths from the root of this repository. */
export function listPages(): string[] {
  const among = (folder: string) => readdirSync(new URL(`${folder}/`, ROOT))
  const docs = among('docs').flatMap((name) => (name.endsWith('.md') ? [`docs/${name}`] : []))
  const readmes = ['apps', 'packages'].flatMap((folder) => among(folder).map((name) => `${folder}/${name}/README.md`))
  return ['README.md', 'AGENTS.md', ...docs, ...readmes]
}

export function readPage(path: string): string {
  return readFileSync(new URL(path, ROOT), 'utf8')
}

export function readCodeBlocks(page: string): CodeBlock[] {
  return [...page.matchAll(/^```(\w*).*\n([\s\S]*?)^```$/gm)].map(([, language = '', code = '']) => ({
    language,
    code,
  }))
}

/** The files that a page gives in full, by their names: blocks of one name are one file. */
export function readFiles(page: string): ReadonlyMap<string, string> {
  const files = new Map<string, string>()
  for (const [, name = '', code = ''] of page.matchAll(/^```\w+ (\S+)\n([\s\S]*?)^```$/gm)) {
    files.set(name, [files.get(name) ?? [], code].flat().join('\n'))
  }
  return files
}

/** The only block of a language on a page that has a text. */
export function readCodeBlock(page: string, language: string, text: string): string {
  const found = readCodeBlocks(page).filter((block) => block.language === language && block.code.includes(text))
  if (found[0] === undefined || found.length > 1) throw new Error(`${found.length} blocks of ${language} have: ${text}`)
  return found[0].code
}

/** What leads elsewhere from a page: `./other.md#heading`. */
export function readLinks(page: string): string[] {
  return [...withoutCode(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)
}

/** The names by which headings of a page are linked to, as GitHub makes them. */
export function readAnchors(page: string): string[] {
  return [...withoutBlocks(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

/** The rows of all tables below a heading, each with its cells. */
export function readRows(page: string, heading: string): string[][] {
  const section = page.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? ''
  return [...section.matchAll(/^\| ?(.+) ?\|$/gm)].map(([, row = '']) => row.split(' | ').map((cell) => cell.trim()))
}

/** What stands between backticks in running text. */
export function readInline(text: string): string[] {
  return [...withoutBlocks(text).matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code)
}

function withoutBlocks(page: string): string {
  return page.replace(/^```[\s\S]*?^```$/gm, '')
}

function withoutCode(page: string): string {
  return withoutBlocks(page).replace(/`[^`\n]*`/g, '')
}
