import { isInternalId } from '@iii/protocol'

const NAME = /^[a-z][a-z0-9-]{0,31}$/
const MAX_LENGTH = 32
/** First segments that functions of this product have. */
const RESERVED: readonly string[] = ['mcp-client', 'runs', 'skill']

/**
 * Says what is wrong with the name of a server, which is the first segment of the ids of its functions. Goes on after the name.
 *
 * @example
 * explainServerName('GitHub') // "must be small letters, digits and '-', begin with a letter and have at most 32 characters; did you mean 'github'?"
 */
export function explainServerName(name: string): string | undefined {
  if (!NAME.test(name)) {
    const rule = `must be small letters, digits and '-', begin with a letter and have at most ${MAX_LENGTH} characters`
    return `${rule}; did you mean '${toServerName(name)}'?`
  }
  if (isFree(name)) return undefined
  return `is a name of the engine or of this product, where no server may put functions; did you mean '${toServerName(name)}'?`
}

/**
 * Makes a name that a server can have; one that it can have stays as it is.
 *
 * @example
 * toServerName('My Server') // 'my-server'
 */
export function toServerName(text: string): string {
  const words = text
    .slice(0, 256)
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[^a-z0-9-]+/g, '-')
  const name = cut(words.replace(/^[^a-z]+/, ''))
  if (name === '') return 'server'
  return isFree(name) ? name : cut(`server-${name}`)
}

function cut(name: string): string {
  return name.slice(0, MAX_LENGTH).replace(/-+$/, '')
}

function isFree(name: string): boolean {
  return !RESERVED.includes(name) && !isInternalId(`${name}::tool`)
}
