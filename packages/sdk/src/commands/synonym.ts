/** What other programs call what ours do, each with our words for it, the likeliest first; a flag may be a part of them. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  rm: ['remove', 'gc'],
  del: ['remove', 'gc'],
  delete: ['remove', 'gc'],
  unregister: ['remove'],
  uninstall: ['remove', 'install --uninstall'],
  ls: ['list'],
  cat: ['read', 'show'],
  get: ['read', 'show', 'list'],
  view: ['show', 'read', 'explain'],
  info: ['show', 'explain'],
  describe: ['explain', 'show'],
  why: ['explain'],
  status: ['doctor'],
  diagnose: ['doctor'],
  ps: ['runs', 'list'],
  history: ['runs'],
  start: ['run'],
  exec: ['run'],
  stop: ['cancel'],
  kill: ['cancel'],
  prune: ['gc'],
  add: ['install', 'import'],
  setup: ['install'],
  verify: ['check', 'doctor'],
}

/** What a word means that no command is called. @returns undefined where none of the commands does that */
export function findSynonym(word: string, commands: readonly string[]): string | undefined {
  const meanings = Object.hasOwn(SYNONYMS, word) ? (SYNONYMS[word] ?? []) : []
  return meanings.find((meaning) => commands.includes(meaning.replace(/ --.*/, '')))
}
