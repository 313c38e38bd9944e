/**
 * Takes out where else an id is registered or a worker connected: engine 0.23 names every namespace that has it, also those that a client is
 * not shown.
 */
export function dropPlaces(text: string): string {
  return text.replace(ambiguous, ' is not $1').replace(elsewhere, '')
}

/** Up to the full stop, which stays. */
const elsewhere = /\. It is registered in namespace\(s\): [^\r\n]*?(?=\.[\s"'\\[]|\.?(?:[\r\n]|$))/g
const ambiguous =
  /(?: is ambiguous: it| is not connected in the requested namespace; it) is (registered|connected) in namespace\(s\): [^\r\n]*?(?:\. Pass `namespace` to [a-z]+(?: one)?)?(?=\.[\s"'\\[]|\.?(?:[\r\n]|$))/g
