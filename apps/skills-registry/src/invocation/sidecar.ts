import { z } from 'zod'

/** What goes beside the payload of a call that an MCP client is behind: `mcp` as the bridge wrote it, and nothing else. */
export interface Sidecar {
  mcp: Record<string, unknown>
}

const Metadata = z.object({ mcp: z.record(z.string(), z.unknown()) })

/**
 * Takes the bridge's sidecar out of the metadata of an invocation, to be passed on as it is.
 *
 * @returns undefined when there is none: the call came from another worker.
 */
export function toSidecar(metadata: unknown): Sidecar | undefined {
  return Metadata.safeParse(metadata).data
}

/** Says in a sidecar which address is read, unless the bridge has said so. */
export function withUri(sidecar: Sidecar | undefined, uri: string): Sidecar | undefined {
  return sidecar && { mcp: { uri, ...sidecar.mcp } }
}

/**
 * The sidecar of a call in one namespace, for a function in another one: where the bridge is, is said wherever it is elsewhere.
 *
 * @param from where the sidecar came to
 * @param to where it goes
 */
export function toForwarded(sidecar: Sidecar | undefined, from: string, to: string): Sidecar | undefined {
  if (!sidecar) return undefined
  const { via_namespace: bridge = from, ...mcp } = sidecar.mcp
  return { mcp: bridge === to ? mcp : { ...mcp, via_namespace: bridge } }
}

/** A sidecar without the client's answers: they belong to one question of one function. */
export function withoutAnswers(sidecar: Sidecar | undefined): Sidecar | undefined {
  if (!sidecar) return undefined
  const { input_responses: _answers, request_state: _state, ...mcp } = sidecar.mcp
  return { mcp }
}
