import { followConfigFile, type Logger } from '@iii/sdk'
import { readTools } from '../catalog/read-tools.ts'
import type { ReceivedTool } from '../catalog/received-tool.ts'
import { createSecretFilter } from '../redaction/secret-filter.ts'
import { describePinDifference, type PinDifference } from './difference.ts'
import { createKeptPins } from './kept-pins.ts'
import { type Approval, findKind, type Judgement, judgeByPins, type ServerPins, toPin } from './pin.ts'

/** A server, and the hash of what it runs. */
export interface PinnedServer {
  readonly name: string
  readonly commandHash: string
}

/** What was approved of the tools of all servers, in a file of its own. */
export interface Pins {
  /**
   * Says which tools may be shown. The first list of a server is its baseline; later, what is new or changed waits. Never rejects: what
   * cannot be pinned waits, too.
   *
   * @param server `accepts`: nothing waits, and what comes is pinned
   */
  judge(server: PinnedServer & { readonly accepts?: boolean }, tools: readonly ReceivedTool[]): Promise<Judgement>
  /**
   * Approves these tools as they are. Their hashes are computed anew.
   *
   * @returns the names of what is approved now
   * @throws Fault for a file that cannot be used; the system's error for one that cannot be written
   */
  approve(server: PinnedServer, tools: readonly ReceivedTool[]): Promise<readonly string[]>
  /** Says for people how tools differ from what was approved. */
  describeChanges(server: PinnedServer, tools: readonly ReceivedTool[]): readonly PinDifference[]
  /** Tells when somebody else has changed the file and something else may be approved now, at most two seconds later. Returns how to stop listening. */
  onChange(listener: () => void): () => void
}

export interface PinsOptions {
  /** Absolute. */
  readonly path: string
  readonly log: Logger
  /** @default 1000 */
  readonly lookEveryMs?: number | undefined
}

/** A server whose tools change their names for ever: those that it has no more give way. */
const MAX_PINS = 4_096

export function createPins({ path, log, lookEveryMs = 1_000 }: PinsOptions): Pins {
  const kept = createKeptPins({ path, log, platform: process.platform })

  async function pin(server: string, change: (pins: ServerPins | undefined) => ServerPins | undefined): Promise<void> {
    try {
      await kept.update(server, change)
    } catch (error) {
      // What is wrong with the file itself has been said.
      if (kept.problem === undefined) log.error({ server, file: path, reason: String(error) }, 'tools cannot be pinned')
    }
  }

  return {
    async judge({ name, commandHash: command, accepts = false }, tools) {
      const approval = { command, now: new Date() }
      kept.look()
      if (accepts) {
        const isPinned = (pins: ServerPins | undefined) => judgeByPins(tools, pins, command).pending.length === 0
        const record = (pins: ServerPins | undefined) => (isPinned(pins) ? undefined : pinAll(pins, tools, approval))
        if (!isPinned(kept.of(name))) await pin(name, record)
        return { approved: tools, pending: [] }
      }
      if (kept.of(name) === undefined && kept.problem === undefined) {
        // Another process may have made the baseline meanwhile.
        await pin(name, (pins) => (pins === undefined ? pinAll(pins, tools, approval) : undefined))
      }
      return judgeByPins(tools, kept.of(name), command)
    },
    async approve({ name, commandHash: command }, tools) {
      // What a worker says waits is without secrets already, and its hash is of that.
      const read = readTools(
        tools.map(({ definition }) => definition),
        createSecretFilter([]),
      ).tools
      await kept.update(name, (pins) => pinAll(pins, read, { command, now: new Date() }))
      return read.map((tool) => tool.name)
    },
    describeChanges({ name, commandHash }, tools) {
      kept.look()
      const pins = kept.of(name)
      return tools.map((tool) =>
        describePinDifference(pins?.get(tool.name), tool, findKind(tool, pins, commandHash) ?? 'changed'),
      )
    },
    onChange(listener) {
      let seen: number | undefined
      return followConfigFile(path, lookEveryMs, () => {
        kept.look()
        const isChanged = seen !== undefined && seen !== kept.changes
        seen = kept.changes
        if (isChanged) listener()
      })
    },
  }
}

function pinAll(pins: ServerPins | undefined, tools: readonly ReceivedTool[], approval: Approval): ServerPins {
  const fresh = tools.map((tool) => [tool.name, toPin(tool, approval)] as const)
  const names = new Set(tools.map(({ name }) => name))
  const others = [...(pins ?? [])].filter(([name]) => !names.has(name))
  return new Map([...others.slice(Math.max(0, others.length + fresh.length - MAX_PINS)), ...fresh])
}
