import querystring from 'node:querystring'
import { REDACTED, redact } from '@iii/protocol/redaction'

const NO_LIMIT = { maxBytes: Number.MAX_SAFE_INTEGER }
/** What such a name has is where the secret is, and not the secret. */
const WHERE = /(?:file|path|dir|url|uri|name)$/i
/** A number under such a name says how many, or how long; one of more digits does not. */
const MEASURE = /(?:tokens|count|limit|budget|length|size|ttl|timeout|expiry|seconds|minutes|hours|days|ms)$/i
const NUMBER = /^\d{1,12}$/
const SWITCH = /^(?:true|false|yes|no|on|off|enabled?|disabled?|none|null)$/i

/** Whether a text looks like a secret by itself, or stands under a name that says so. */
export function looksSecret(name: string, text: string): boolean {
  if (text === '' || SWITCH.test(text)) return false
  return hasSecret(text) || (!isHarmless(name, text) && hasSecret({ [name]: text }))
}

function isHarmless(name: string, text: string): boolean {
  return WHERE.test(name) || (NUMBER.test(text) && MEASURE.test(name))
}

function hasSecret(value: unknown): boolean {
  return (redact(value, NO_LIMIT)?.secrets ?? 1) > 0
}

/** Arguments as they may be shown. */
export function hideSecrets(args: readonly string[]): readonly string[] {
  const clean = redact(args, NO_LIMIT)?.value
  return Array.isArray(clean) ? clean.map(String) : []
}

/** What of arguments is not shown, and the passwords in it. */
export function findHidden(args: readonly string[]): string[] {
  const shown = hideSecrets(args)
  const hidden = args.flatMap((arg, at) => [...toHidden(arg, shown[at] ?? REDACTED), ...findPasswords(arg)])
  return [...new Set(hidden)].filter((text) => text !== '' && !SWITCH.test(text))
}

const LOGIN = /(:\/\/[^\s/?#@"'<>:]*:)([^\s/@"']+(?:@[^\s/?#@"']*)*)@/g
/** What stands in every other manual, and would be taken out of the names of arguments of tools. */
const USUAL = /^(?:pass(?:word)?|admin|root|user|guest|test|postgres|mysql)$/i

/** Those of the addresses in a text, as they are written and as they are meant: a server may say them without the rest. */
function findPasswords(text: string): string[] {
  const rest = text.replace(LOGIN, '$1')
  const passwords = [...text.matchAll(LOGIN)].map(([, , password = '']) => password)
  return passwords
    .filter((password) => !USUAL.test(password) && !rest.includes(password))
    .flatMap((password) => [password, querystring.unescape(password)])
}

/** What stands in an argument between the texts that are shown of it. */
function toHidden(arg: string, shown: string): string[] {
  const [head = '', ...texts] = shown.split(REDACTED)
  let at = head.length
  return texts.map((text, number) => {
    const isLast = number === texts.length - 1
    const end = isLast ? arg.length - text.length : arg.indexOf(text, at)
    const hidden = arg.slice(at, end)
    at = end + text.length
    return hidden
  })
}
