import type { EngineGeneration } from '@iii/mock-engine'
import { inject } from 'vitest'
import { borrowEngine, type EngineAddress, resembleEngine } from '../chosen-engine.ts'
import { chooseSearchMode } from '../search-mode.ts'
import type { Programs } from './install-programs.ts'
import type { RedisPrograms } from './redis-programs.ts'
import type { ReferenceServers } from './reference-servers.ts'

declare module 'vitest' {
  /** What `main.ts` gives to a suite. */
  interface ProvidedContext {
    /** The engine to run on; without it every stack has one of its own. */
    engine: EngineAddress | undefined
    /** What engines of stacks are like, where they have their own. @default '0.22' */
    engineVersion: EngineGeneration | undefined
    /** Whether bridges list few tools and have the others searched. @default false */
    searchMode: boolean | undefined
    /** The Python interpreter that has the official SDK. */
    python: string
    /** Folders of the Nodes that worker archives run on; without them it is the one that runs the tests. */
    nodes: readonly string[]
    /** The reference servers of MCP. */
    servers: ReferenceServers
    /** The Chromium of `pnpm test:browser`. */
    browser: string
    /** Redis and the engine, of `pnpm test:redis`. */
    redis: RedisPrograms | undefined
    /** The engine and its command line. */
    programs: Programs
  }
}

/** Loaded before each file of scenarios. */
const engine = inject('engine')
if (engine !== undefined) borrowEngine(engine)
// Files of both kinds may share a process.
resembleEngine(inject('engineVersion') ?? '0.22')
chooseSearchMode(inject('searchMode') ?? false)
