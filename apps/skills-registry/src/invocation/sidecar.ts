import { readMcpSidecar } from '@iii/protocol'
import { z } from 'zod'

/** What goes beside the payload of a call that an MCP client is behind: `mcp` as the bridge wrote it, and nothing else. */
interface Sidecar {
  mcp: Record<string, unknown>
}

/** Where a call that an MCP client is behind comes from and goes to. */
export interface Passage {
  /** Namespaces: where the metadata came to, and where it goes. Where the bridge is, is said wherever it is elsewhere. */
  from: string
  to: string
  /** The address that is read, unless the bridge has said so. */
  uri?: string | undefined
}

const Metadata = z.object({ mcp: z.record(z.string(), z.unknown()) })

/**
 * Takes the bridge's sidecar out of the metadata of an invocation, for the function that is called because of it.
 *
 * @returns undefined when there is none: the call came from another worker.
 */
export function passSidecar(metadata: unknown, { from, to, uri }: Passage): Sidecar | undefined {
  const sidecar = Metadata.safeParse(metadata).data
  if (!sidecar) return undefined
  const {
    via_namespace: bridge = from,
    skills: _shown,
    ...mcp
  } = uri === undefined ? sidecar.mcp : { uri, ...sidecar.mcp }
  return { mcp: bridge === to ? mcp : { ...mcp, via_namespace: bridge } }
}

/** How much of a result the client is shown, where the bridge said so. */
export function readResultBytes(metadata: unknown): number | undefined {
  return readMcpSidecar(metadata)?.max_result_bytes
}

/** What is there and cannot be read shows nothing. */
const Shown = z.object({ mcp: z.object({ skills: z.array(z.string()).optional().catch([]) }) })

/** Beginnings of the ids of skills that the client may read, where the bridge said so. */
export function readShown(metadata: unknown): readonly string[] | undefined {
  return Shown.safeParse(metadata).data?.mcp.skills
}

/**
 * Metadata without what is for the called function alone: the client's answers belong to one question, and the limit to one result. Which skills
 * the client may read holds for each that is read.
 */
export function withoutOwn(metadata: unknown): Sidecar | undefined {
  const sidecar = Metadata.safeParse(metadata).data
  if (!sidecar) return undefined
  const { input_responses: _answers, request_state: _state, max_result_bytes: _limit, ...mcp } = sidecar.mcp
  return { mcp }
}
