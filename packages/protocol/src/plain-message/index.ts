import { cutUtf8 } from '../utf8.ts'
import { maskPaths } from './paths.ts'
import { maskSecrets } from './secrets.ts'
import { dropStacks } from './stacks.ts'

/** The longest message a client is shown, in UTF-8 bytes. */
export const MAX_MESSAGE_BYTES = 4096

/**
 * Makes a message fit for a client: no stack lines, `<path>` for every path of the file system, `<secret>` for what stands where
 * secrets stand (`password=…`, `Authorization: …`, the user of a URL), nothing of where in other namespaces of the engine
 * something is registered, well-formed, at most 4 KiB. Addresses (`https://…`, `iii://…`),
 * single segments (`/mcp`), what is called a route (`GET /orders/7`) and words with slashes stay. Messages and stack traces do
 * cross the engine, and with them the layout of the machine they come from.
 *
 * Takes time in proportion to the text: no pattern looks twice at what another one gave up on.
 *
 * @example
 * toPlainMessage("ENOENT: open '/data/orders.json'\n    at open (node:fs:1:1)") // "ENOENT: open '<path>'"
 * toPlainMessage('cannot reach postgres://admin:pw@db/orders') // 'cannot reach postgres://<secret>@db/orders'
 */
export function toPlainMessage(text: string): string {
  // Beyond the first 64 Ki units nothing can reach the client, so nothing there is worth looking at.
  const shown = text.slice(0, 65_536).toWellFormed()
  return cutUtf8(dropPlaces(maskPaths(maskSecrets(dropStacks(shown)))).trimEnd(), MAX_MESSAGE_BYTES)
}

/**
 * Takes out where else an id is registered or a worker connected: engine 0.23 names every namespace that has it, also those that a client is
 * not shown.
 */
function dropPlaces(text: string): string {
  return text.replace(ambiguous, ' is not $1').replace(elsewhere, '')
}

/** Up to the full stop, which stays. */
const elsewhere = /\. It is registered in namespace\(s\): [^\r\n]*?(?=\.[\s"'\\[]|\.?(?:[\r\n]|$))/g
const ambiguous =
  /(?: is ambiguous: it| is not connected in the requested namespace; it) is (registered|connected) in namespace\(s\): [^\r\n]*?(?:\. Pass `namespace` to [a-z]+(?: one)?)?(?=\.[\s"'\\[]|\.?(?:[\r\n]|$))/g
