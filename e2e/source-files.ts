import { readdirSync, readFileSync } from 'node:fs'

/** The top of the repository. */
export const root = new URL('../', import.meta.url)

export function listFolders(parent: string): string[] {
  return readdirSync(new URL(parent, root), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !isIgnored(entry.name))
    .map((entry) => `${parent}/${entry.name}`)
}

const ignored = readFileSync(new URL('.gitignore', root), 'utf8').split('\n').filter(Boolean)

export function isIgnored(name: string): boolean {
  return (
    name === '.git' || ignored.some((rule) => (rule.startsWith('*') ? name.endsWith(rule.slice(1)) : rule === name))
  )
}

export function listSources(folder: string): string[] {
  return readdirSync(new URL(`${folder}/`, root), { withFileTypes: true })
    .filter((entry) => !isIgnored(entry.name))
    .flatMap((entry) => (entry.isDirectory() ? listSources(`${folder}/${entry.name}`) : [`${folder}/${entry.name}`]))
}

/** The folders of all packages and apps. */
export const packages = [...listFolders('packages'), ...listFolders('apps')]

/** Whether it is a source of what is shipped. */
export function isShipped(path: string): boolean {
  return path.endsWith('.ts') && !/\.test\.ts$|\/(?:template|testing)\//.test(path)
}
