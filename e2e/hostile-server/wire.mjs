import { once } from 'node:events'
import { stdout } from 'node:process'

/** One message of JSON-RPC on stdout. */
export function send(message) {
  stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
}

export function notify(method, params) {
  send({ method, params })
}

/** Writes a text that long, as fast as it is read. */
export async function pour(bytes, unit = 'a') {
  const piece = unit.repeat(2 ** 16)
  for (let left = bytes; left > 0; left -= piece.length) {
    if (!stdout.write(left < piece.length ? piece.slice(0, left) : piece)) await once(stdout, 'drain')
  }
}
