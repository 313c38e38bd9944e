import type { Fault } from '../fault.ts'
import { createEngineRestart } from './engine.ts'
import { createFreeze } from './freeze.ts'
import { createKill } from './kill.ts'

/** All that can go wrong here. */
export const FAULTS: readonly Fault[] = [
  ...[
    'mcp',
    'skills',
    'runs',
    'mcp-client',
    'orders',
    'node worker',
    'python worker',
    'bare worker',
    'stdio bridge',
  ].map(createKill),
  createEngineRestart('SIGTERM', true),
  createEngineRestart('SIGTERM', false),
  createEngineRestart('SIGKILL', true),
  createEngineRestart('SIGKILL', false),
  createFreeze('mcp', 5),
  createFreeze('skills', 10),
  createFreeze('orders', 10),
]
