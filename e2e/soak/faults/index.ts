import type { SoakFault } from '../fault.ts'
import { clockJump } from './clock-jump.ts'
import { createCut, createHalfOpen } from './cut.ts'
import { createEngineRestart } from './engine.ts'
import { createFreeze } from './freeze.ts'
import { fullDisk } from './full-disk.ts'
import { createKill } from './kill.ts'
import { malformedConfiguration } from './malformed-configuration.ts'
import { poisonedRoute } from './poisoned-route.ts'
import { killServers } from './server.ts'
import { slowReaders } from './slow-readers.ts'
import { createTwin } from './twin.ts'

/** All that can go wrong here. */
export const FAULTS: readonly SoakFault[] = [
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
  killServers,
  createCut('bridge'),
  createCut('skills'),
  createHalfOpen('bridge'),
  createHalfOpen('skills'),
  createTwin('bridge'),
  createTwin('skills'),
  fullDisk,
  clockJump,
  slowReaders,
  malformedConfiguration,
  poisonedRoute,
]
