/** Loaded before an installed program by `NODE_OPTIONS`, which what that one starts gets too: only it ends with the process that started it. */
import process from 'node:process'

/** Names that process to it. */
const STARTED_BY = 'LIFELINE_OF'

if (process.env[STARTED_BY] === String(process.ppid)) await import('./lifeline.ts')
