import type { FilesByProcess } from './walk.ts'

/** How many files there are of each package: `{ 'apps/mcp-bridge': 30 }`. */
export function countWay(files: readonly string[]): Readonly<Record<string, number>> {
  return Object.fromEntries([...groupBy(files, toFolder)].map(([folder, own]) => [folder, own.length]))
}

/** A line for each room: `apps/mcp-bridge gate: index known-functions sight`, those of the registry behind a heading of its own. */
export function formatWay({ bridge, registry }: FilesByProcess): string {
  return [...formatFiles(bridge), ...(registry.length === 0 ? [] : ['', ...formatFiles(registry)])].join('\n')
}

/** The inverse, in a page: the block of code behind ``` ```way METHOD ```. */
export function parseWay(page: string, method: string): FilesByProcess | undefined {
  const block = page.split(`\`\`\`text ${method}\n`)[1]?.split('\n```')[0]
  if (block === undefined) return undefined
  const [bridge = '', registry = ''] = block.split('\n\n')
  return { bridge: parseFiles(bridge), registry: parseFiles(registry) }
}

function formatFiles(files: readonly string[]): string[] {
  return [...groupBy(files, toRoom)].map(([room, own]) => `${room}: ${own.map(toName).join(' ')}`)
}

function parseFiles(lines: string): string[] {
  return lines
    .split('\n')
    .filter(Boolean)
    .flatMap((line) => {
      const [room = '', names = ''] = line.split(': ')
      const [folder = '', within = ''] = room.split(' ')
      return names.split(' ').map((name) => `${folder}/src/${within === '' ? '' : `${within}/`}${name}.ts`)
    })
}

function toFolder(file: string): string {
  return file.split('/').slice(0, 2).join('/')
}

/** `apps/mcp-bridge tools/catalog`. */
function toRoom(file: string): string {
  const within = file.split('/').slice(3, -1).join('/')
  return within === '' ? toFolder(file) : `${toFolder(file)} ${within}`
}

function toName(file: string): string {
  return file.split('/').at(-1)?.replace(/\.ts$/, '') ?? ''
}

function groupBy(files: readonly string[], toKey: (file: string) => string): Map<string, string[]> {
  const groups = new Map<string, string[]>()
  for (const file of files) groups.set(toKey(file), [...(groups.get(toKey(file)) ?? []), file])
  return groups
}
