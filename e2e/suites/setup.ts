import { inject } from 'vitest'
import { borrowEngine, type EngineAddress } from '../engine.ts'

declare module 'vitest' {
  /** What `main.ts` gives to a suite. */
  interface ProvidedContext {
    /** The engine to run on; without it every stack has one of its own. */
    engine: EngineAddress | undefined
    /** The Python interpreter that has the official SDK. */
    python: string
  }
}

/** Loaded before each file of scenarios. */
const engine = inject('engine')
if (engine !== undefined) borrowEngine(engine)
