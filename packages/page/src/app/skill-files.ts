/** How addresses of the files of skills begin (the MCP extension `io.modelcontextprotocol/skills`). */
export const SKILL_SCHEME = 'skill://'

/** A file that belongs to a skill. */
export interface SkillFile {
  readonly uri: string
  /** As it lies in the folder of the skill: `references/LIMITS.md`. */
  readonly path: string
  /** In bytes. */
  readonly size: number
}

/** @returns where the text of a skill lies among its files: `skill://orders/SKILL.md` for `iii://orders`; undefined for what is no skill */
export function toSkillUri(uri: string): string | undefined {
  const [, above = '', name] = /^iii:\/\/(?!fn\/)([a-z0-9_/-]*\/)?([a-z0-9_-]+)$/.exec(uri) ?? []
  return name === undefined ? undefined : `${SKILL_SCHEME}${above}${name.replaceAll('_', '-')}/SKILL.md`
}

/** @param skill as `skills/get` has it, from a stranger. @returns its files; what is none is left out */
export function parseFiles(skill: unknown): SkillFile[] {
  const { uri, resources } = toRecord(skill)
  if (typeof uri !== 'string' || !Array.isArray(resources)) return []
  const folder = uri.slice(0, uri.lastIndexOf('/') + 1)
  return resources.flatMap((each) => {
    const { uri: of, size } = toRecord(each)
    if (typeof of !== 'string' || !of.startsWith(folder)) return []
    return [{ uri: of, path: decode(of.slice(folder.length)), size: typeof size === 'number' ? size : 0 }]
  })
}

/**
 * Where a link leads that is written relative to a file, as `references/LIMITS.md` is.
 *
 * @returns the address without what follows `#` or `?`; undefined for links of any other kind, and where it would lead out of all skills
 */
export function resolveLink(href: string, base: string): string | undefined {
  if (!base.startsWith(SKILL_SCHEME) || /^(?:[a-z][a-z0-9+.-]*:|[/\\#?]|$)/i.test(href)) return undefined
  const parts = base.slice(SKILL_SCHEME.length).split('/').map(decode).slice(0, -1)
  for (const part of href.replace(/[#?].*$/s, '').split('/')) {
    if (part === '..' && parts.length === 0) return undefined
    if (part === '..') parts.pop()
    else if (part !== '.' && part !== '') parts.push(decode(part))
  }
  return `${SKILL_SCHEME}${parts.map(encode).join('/')}`
}

/** `3 bytes`, `1.2 kB`, `4.0 MB` */
export function formatSize(bytes: number): string {
  if (bytes < KILO) return bytes === 1 ? '1 byte' : `${bytes} bytes`
  return bytes < KILO * KILO ? `${(bytes / KILO).toFixed(1)} kB` : `${(bytes / KILO / KILO).toFixed(1)} MB`
}

const KILO = 1000

/** The last part of an address, as people read it. */
export function toShownName(uri: string): string {
  return decode(uri.slice(uri.lastIndexOf('/') + 1))
}

/** Divides the front matter of a markdown text from what follows. */
export function splitFrontMatter(text: string): readonly [front: string, body: string] {
  const [front = ''] = /^\uFEFF?---\r?\n(?:[\s\S]*?\r?\n)?---[ \t]*(?:\r?\n|$)/.exec(text) ?? []
  return [front, text.slice(front.length)]
}

/** @returns undefined where the text is no base64 */
export function parseBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

/** Half of a character cannot be written in an address. */
function encode(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\uFFFD'))
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function toRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
