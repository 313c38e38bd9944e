import { parseSkillUri } from '@iii/protocol'

/**
 * May the file at a `skill://` address be another after a skill has changed: its text, a file of it, or one of a skill in it? A `_` in an id
 * is served as `-` in some places, so the two count as one here: being told once too often costs a reading.
 */
export function isFileOfSkill(uri: string, id: string): boolean {
  const path = parseSkillUri(uri)
  if (path === undefined) return false
  const [file, skill] = [path, id].map((text) => text.replaceAll('_', '-'))
  return file === `${skill}.md` || file?.startsWith(`${skill}/`) === true
}

/** Lists without what each change of a text changes in them: a list that differs in no more than that is no news. */
export function toListText(lists: unknown): string {
  return JSON.stringify(lists, (key, value: unknown) => (OF_TEXTS.has(key) ? undefined : value))
}

const OF_TEXTS: ReadonlySet<string> = new Set(['size', 'lastModified'])
