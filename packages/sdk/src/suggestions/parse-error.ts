import { findNearest } from './nearest.ts'

/**
 * What is wrong with words that `parseArgs` of Node does not take, as workers say it.
 *
 * @param options what it was told to take
 * @returns undefined for any other error
 * @example explainParseError(error, { out: { type: 'string' } }) // 'unknown option --ot; did you mean --out?'
 */
export function explainParseError(error: unknown, options: object): string | undefined {
  if (!(error instanceof TypeError && 'code' in error)) return undefined
  const [, named = ''] = /'([^']*)'/.exec(error.message) ?? []
  const flag = /--[^ ]+/.exec(named)?.[0] ?? named
  if (error.code === 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL') return `'${named}' is too much`
  if (error.code === 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE') return explainValue(error.message, flag)
  if (error.code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION') return undefined
  const nearest = findNearest(
    flag,
    Object.keys(options).map((name) => `--${name}`),
  )
  return nearest === undefined ? `unknown option ${flag}` : `unknown option ${flag}; did you mean ${nearest}?`
}

function explainValue(message: string, flag: string): string {
  if (message.includes('does not take')) return `${flag} takes no value`
  return message.includes('ambiguous')
    ? `${flag} needs a value; one that begins with '-' is written ${flag}=-…`
    : `${flag} needs a value`
}
