import type { ProcessGroup } from '@iii/sdk/process-group'

/** The process of a server, and everything that it has started. */
export type ServerProcess = Pick<ProcessGroup, 'pid' | 'stdin' | 'stdout' | 'stderr' | 'ended' | 'stop'>
