// The types of Node are a part of ours: whoever compiles against them has them from here.
/// <reference types="node" preserve="true" />

export { isAbsent } from './absent.ts'
export type { Ask } from './ask/ask.ts'
export type { FormContent } from './ask/form-question.ts'
export type { Answer, AskOptions } from './ask/question.ts'
export type { Root } from './ask/roots-question.ts'
export type { Sample, SampleParams } from './ask/sample-question.ts'
export { createCapture } from './commands/capture.ts'
export type {
  Command,
  CommandSet,
  Commands,
  Invocation,
  Session,
  Work,
} from './commands/command.ts'
export { connectEngine, READY_WITHIN_MS } from './commands/connect-engine.ts'
export { CommandFailure, EXIT, type ExitCode } from './commands/exit-code.ts'
export { createCommands, toUsage } from './commands/run.ts'
export { createScreen, type Progress, type Screen, type Stream, type Streams } from './commands/screen.ts'
export { cutColumns, toColumns, toShown } from './commands/shown.ts'
export { type Column, formatTable } from './commands/table.ts'
export { wrap } from './commands/wrap.ts'
export { busExposureCheck, LOOPBACK } from './doctor/bus-check.ts'
export {
  type Check,
  type Finding,
  type Outcome,
  ok,
  problem,
  type Result,
  runChecks,
  skipped,
  warning,
} from './doctor/check.ts'
export { type Computer, THIS_COMPUTER } from './doctor/computer.ts'
export { ASK_MS, type DoctorContext, type DoctorNames, type DoctorSession } from './doctor/context.ts'
export { type DoctorOptions, diagnose } from './doctor/diagnose.ts'
export { type FoundSettings, findSettings } from './doctor/found-settings.ts'
export { createNamesCheck, type NamesCheckOptions } from './doctor/names-check.ts'
export { createNamespaceCheck, type NamespaceCheckOptions } from './doctor/namespace-check.ts'
export { formatResults } from './doctor/report.ts'
export { spansCheck } from './doctor/spans-check.ts'
export { createStateCheck, type StateCheckOptions } from './doctor/state-check.ts'
export { askNamespaces } from './engine-namespaces.ts'
export { toEngineUrl, toPublicUrl } from './engine-url.ts'
export { askEngineVersion, explainUnsupported, SUPPORTED_ENGINES } from './engine-version.ts'
export { type ChangeFeed, type ChangeFeedOptions, createChangeFeed } from './feed/change-feed.ts'
export { findHttpAddress, type HttpAddress } from './http/address.ts'
export { askHttp, type HttpAnswer } from './http/request.ts'
export type { RouteReach } from './http/route-reach.ts'
export { InvocationError } from './invocation-error.ts'
export { createLog, type Logger, type LogLevel } from './log.ts'
export { announceChange } from './mcp/announce-change.ts'
export { audioBlock, imageBlock, linkBlock, resourceBlock, textBlock } from './mcp/content-blocks.ts'
export type { McpCaller, McpContext } from './mcp/mcp-context.ts'
export {
  type McpFacts,
  type McpFunctionOptions,
  type McpFunctionRegistration,
  registerMcpFunction,
} from './mcp/register-mcp-function.ts'
export { type FunctionOwner, findOwner } from './ownership/find-owner.ts'
export type { Owner, Ownership, OwnershipListener, OwnershipTimings } from './ownership/ownership.ts'
export { findPlainName } from './ownership/plain-name.ts'
export { within } from './pause.ts'
export { type Publication, type PublicationResult, type PublishContent, publish } from './publish.ts'
export { COMMON_OPTIONS, type CommandLine, readCommandLine } from './run/command-line.ts'
export { followConfigFile } from './run/config-file.ts'
export { withEnvironment } from './run/environment.ts'
export type { OptionConflict } from './run/given.ts'
export { formatHelp } from './run/help.ts'
export { HIDDEN_PREFIXES_OPTION } from './run/hidden-prefixes.ts'
export { findNearest } from './run/nearest.ts'
export type { OptionSpec, OptionTable, StoredRule } from './run/option-table.ts'
export { type FileBytes, readRegularFile } from './run/regular-file.ts'
export { runWorker, type Served, type WorkerSpec } from './run/run-worker.ts'
export { type Settings, startSettings } from './run/settings.ts'
export { suggestWord } from './run/suggestion.ts'
export { findUsageProblem } from './run/usage-problem.ts'
export { formatIssues } from './schema/issue-text.ts'
export type { JsonSchema, OutputOf, Zod3Type, ZodSchema } from './schema/json-schema.ts'
export { createStateScope, type StateScope, type StateScopeOptions, type UpdateOp, type UpdateResult } from './state.ts'
export { type StateRow, type StateRowsOptions, streamStateRows } from './state-rows.ts'
export type { Channel, ChannelReader, ChannelRef, ChannelWriter } from './wire/channel.ts'
export { keepJson } from './wire/kept-json.ts'
export type { FormerConnection, ReattachStore } from './wire/reattach.ts'
export { countHop, MAX_HOPS } from './wire/trace-hops.ts'
export { type Action, type Call, type Handler, TriggerAction, type TriggerRequest } from './worker/call.ts'
export type { FunctionOptions, FunctionRegistration, Registration } from './worker/function.ts'
export { toNamespace } from './worker/namespace.ts'
export type { Naming } from './worker/presence.ts'
export { registerWorker } from './worker/register-worker.ts'
export { serveContract } from './worker/serve-contract.ts'
export { checkApiPath, findParamConflict } from './worker/trigger-config.ts'
export type { Binding, TriggerTypeHandler, TriggerTypeInput } from './worker/trigger-types.ts'
export type { TriggerInput } from './worker/triggers.ts'
export type { RegisterWorkerOptions, Worker } from './worker/worker.ts'
