import type { HttpPort } from './http-port.ts'

/** Whether the HTTP port listens: it does while nobody wants it shut. */
export interface HttpDoor {
  /** Brings the port of a run that has just begun into the right position. */
  apply(): void
  /** @returns a function that takes the wish back; calling it again does nothing. */
  shut(): () => void
}

/**
 * @param port - the one of the present run, if there is a run.
 * @param complain - told when the port cannot be opened again.
 */
export function createHttpDoor(
  port: () => Pick<HttpPort, 'refuse' | 'accept'> | undefined,
  complain: (error: unknown) => void,
): HttpDoor {
  let wishes = 0

  async function move(): Promise<void> {
    if (wishes === 0) await port()?.accept()
    // Also when it was wished while the port was opening.
    if (wishes > 0) port()?.refuse()
  }

  const apply = () => void move().catch(complain)
  return {
    apply,
    shut() {
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
