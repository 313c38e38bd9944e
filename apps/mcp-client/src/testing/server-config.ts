import type { ServerConfig } from '../configuration/server-config.ts'

/** A server as the file has it when nothing but what is given is said. */
export function toConfig(given: Partial<ServerConfig> = {}): ServerConfig {
  return {
    ...{ name: 'demo', command: 'demo-server', args: [], cwd: '/', isTrusted: true, isDisabled: false },
    environment: { inherit: [], set: new Map() },
    tools: { allow: ['*'], deny: [] },
    ...{ expose: undefined, tier: undefined, annotations: 'stricter' as const },
    timeouts: { startMs: 30_000, callMs: 60_000, listMs: 15_000, stopMs: 2_000 },
    concurrency: { calls: 8, waiting: 32, waitMs: 10_000 },
    limits: { messageBytes: 8_388_608, resultBytes: 1_048_576, tools: 256 },
    ...{ changedTools: 'quarantine' as const, operations: false },
    ...given,
  }
}
