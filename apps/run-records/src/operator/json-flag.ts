/** `--format json`, as scripts for other programs have it, is `--json`. */
export function toJsonFlag(argv: readonly string[]): readonly string[] {
  return argv.flatMap((word, at) => {
    const isForm = word === '--format' && argv[at + 1] === 'json'
    if (isForm || word === '--format=json') return ['--json']
    return word === 'json' && argv[at - 1] === '--format' ? [] : [word]
  })
}
