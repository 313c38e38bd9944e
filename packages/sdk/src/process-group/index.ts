export type { Ending, NotStarted } from './exit-report.ts'
export { type ProcessGroup, type StopOptions, startProcessGroup } from './process-group.ts'
export type { ProgramOptions } from './supervisor.ts'
