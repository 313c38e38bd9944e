// The types of Node are a part of ours: whoever compiles against them has them from here.
/// <reference types="node" preserve="true" />

export type {
  Command,
  CommandSet,
  Commands,
  Invocation,
  Session,
  Work,
} from './commands/command.ts'
export { createCommands, toUsage } from './commands/commands.ts'
export { connectEngine, READY_WITHIN_MS } from './commands/connect-engine.ts'
export { CommandFailure, EXIT, type ExitCode } from './commands/exit-code.ts'
export { requireUsableFile } from './commands/usable-file.ts'
export { busExposureCheck } from './doctor/bus-check.ts'
export {
  type Check,
  type CheckVerdict,
  type Finding,
  ok,
  problem,
  type Result,
  runChecks,
  skipped,
  warning,
} from './doctor/check.ts'
export {
  ASK_MS,
  createDoctorContext,
  type DoctorContext,
  type DoctorNames,
  type DoctorSession,
} from './doctor/context.ts'
export { type DoctorOptions, diagnose } from './doctor/diagnose.ts'
export { type FoundSettings, findSettings } from './doctor/found-settings.ts'
export { environmentCheck } from './doctor/local-checks.ts'
export { createNamesCheck, type NamesCheckOptions } from './doctor/names-check.ts'
export { createNamespaceCheck, type NamespaceCheckOptions } from './doctor/namespace-check.ts'
export { formatResults } from './doctor/report.ts'
export { isSilence, silence } from './doctor/silence.ts'
export { spansCheck } from './doctor/spans-check.ts'
export { createStateCheck, type StateCheckOptions } from './doctor/state-check.ts'
export { LOOPBACK } from './engine/url.ts'
export { explainNoFolder } from './host.ts'
export { formatHttpAddress } from './http/address.ts'
export { askHttp, type HttpAnswer } from './http/request.ts'
export { COMMON_OPTIONS, type CommandLine, findUsageProblem, readCommandLine } from './options/command-line.ts'
export { formatCommand, toFlagWords, toShellWord } from './options/flag-words.ts'
export { formatHelp } from './options/help.ts'
export { makeFolder } from './options/make-folder.ts'
export { describeSystemError, toReason } from './options/system-error.ts'
export { startSettings } from './settings/settings.ts'
export { explainParseError } from './suggestions/parse-error.ts'
export { suggestAmong } from './suggestions/suggestion.ts'
export { createCapture } from './terminal/capture.ts'
export { formatCount } from './terminal/count.ts'
export { type Paint, PLAIN } from './terminal/paint.ts'
export { createScreen, type Progress, type Screen, type Stream, type Streams } from './terminal/screen.ts'
export { cutColumns, toColumns, toShown } from './terminal/shown.ts'
export { type Column, formatTable } from './terminal/table.ts'
export { exitUnwritten, tellUnwritten } from './terminal/unwritten.ts'
export { wrap } from './terminal/wrap.ts'
