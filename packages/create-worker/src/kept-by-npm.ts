type Environment = Readonly<Record<string, string | undefined>>

/** npm hands on what stands behind `--` alone; the rest becomes a setting of its own, and `--js` is short for its `--json`. */
const KEPT_AS = { '--js': ['npm_config_js', 'npm_config_json'], '--name': ['npm_config_name'] } as const

/** @param env as npm starts a package @returns what to type instead, where npm has kept an option that was meant for us; undefined where it has not */
export function explainKeptByNpm(argv: readonly string[], env: Environment): string | undefined {
  if (!env['npm_config_user_agent']?.startsWith('npm/')) return undefined
  const kept = Object.entries(KEPT_AS).flatMap(([option, settings]) => {
    const value = settings.map((setting) => env[setting]).find((text) => text !== undefined)
    if (value === undefined || argv.some((word) => word.split('=')[0] === option)) return []
    return [{ option, words: option === '--js' ? [option] : [option, value] }]
  })
  if (kept.length === 0) return undefined
  const first = argv.findIndex((word) => word.startsWith('-'))
  const [operands, options] = first === -1 ? [argv, []] : [argv.slice(0, first), argv.slice(first)]
  const line = ['npm create iii-worker', ...operands, '--', ...kept.flatMap(({ words }) => words), ...options].join(' ')
  return `npm keeps ${kept.map(({ option }) => option).join(' and ')} to itself unless it stands behind --: ${line}`
}
