import type { HttpPort } from './http-port.ts'

/** Whether the HTTP port refuses connections: it does while somebody wants it to. */
export interface HttpRefusal {
  /** Makes the port of an instance that has just started listen or refuse. */
  apply(): void
  /** @returns a function that takes the wish back; calling it again does nothing. */
  add(): () => void
}

/**
 * @param port - the one of the present instance, if there is one.
 * @param complain - told when the port cannot be opened again.
 */
export function createHttpRefusal(
  port: () => Pick<HttpPort, 'refuse' | 'accept'> | undefined,
  complain: (error: unknown) => void,
): HttpRefusal {
  let wishes = 0

  async function update(): Promise<void> {
    if (wishes === 0) await port()?.accept()
    // Also when it was wished while the port was opening.
    if (wishes > 0) port()?.refuse()
  }

  const apply = () => void update().catch(complain)
  return {
    apply,
    add() {
      let wished = true
      wishes++
      apply()
      return () => {
        if (wished) wishes--
        wished = false
        apply()
      }
    },
  }
}
