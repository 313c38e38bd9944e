// The types of Node are a part of ours: whoever compiles against them has them from here.
/// <reference types="node" preserve="true" />

export { Fault, type FaultCode, toFault } from '@iii/protocol'
export type { Ask } from './ask/ask.ts'
export type { FormContent } from './ask/form-question.ts'
export type { Answer, AskOptions } from './ask/question.ts'
export type { Root } from './ask/roots-question.ts'
export type { Sample, SampleParams } from './ask/sample-question.ts'
export { type ChangeFeed, type ChangeFeedOptions, createChangeFeed } from './change-feed/change-feed.ts'
export {
  type Action,
  type AskEngine,
  type Call,
  type CancelSignal,
  type FunctionCaller,
  type Handler,
  TriggerAction,
  type TriggerRequest,
} from './engine/call.ts'
export { countHop, currentTrace, MAX_HOPS, type Trace, toNextHop } from './engine/call-context.ts'
export { InvocationError, isAbsent } from './engine/invocation-error.ts'
export { messageOf } from './engine/message-of.ts'
export { askNamespaces, toNamespace } from './engine/namespace.ts'
export { toEngineUrl, toPublicUrl } from './engine/url.ts'
export { askEngineVersion, explainUnsupported, SUPPORTED_ENGINES } from './engine/version.ts'
export { type Host, readHost } from './host.ts'
export { findHttpAddress, type HttpAddress } from './http/address.ts'
export { findOpenAddresses } from './http/open-addresses.ts'
export type { RouteReach } from './http/route-reach.ts'
export { createLog, type Logger, type LogLevel, logLater } from './log.ts'
export { announceChange } from './mcp/announce-change.ts'
export { audioBlock, imageBlock, linkBlock, resourceBlock, textBlock } from './mcp/content-blocks.ts'
export type { McpCaller, McpContext } from './mcp/mcp-context.ts'
export {
  type McpFacts,
  type McpFunctionOptions,
  type McpFunctionRegistration,
  registerMcpFunction,
} from './mcp/register-mcp-function.ts'
export { followConfigFile } from './options/config-file.ts'
export { withEnvironment } from './options/environment.ts'
export type { OptionConflict } from './options/given.ts'
export { HIDDEN_PREFIXES_OPTION } from './options/hidden-prefixes.ts'
export type { OptionSpec, OptionTable, StoredRule } from './options/option-table.ts'
export { type FileBytes, readRegularFile } from './options/regular-file.ts'
export { type FunctionOwner, findOwner } from './ownership/find-owner.ts'
export type { Owner, Ownership, OwnershipListener, OwnershipTimings } from './ownership/ownership.ts'
export { findPlainName } from './ownership/plain-name.ts'
export { within } from './pause.ts'
export { type Publication, type PublicationResult, type PublishContent, publish } from './publish/index.ts'
export { REGISTRATION, type SkillRegistration, toSkillRegistration } from './publish/registration.ts'
export { runWorker } from './run/run-worker.ts'
export type { Served, WorkerSpec } from './run/worker-spec.ts'
export { formatIssues } from './schema/issue-text.ts'
export type { JsonSchema, OutputOf, UnknownKeys, Zod3Type, ZodSchema } from './schema/json-schema.ts'
export { parseJsonText } from './schema/parse-json-text.ts'
export type { Settings } from './settings/settings.ts'
export { type StateRow, type StateRowsOptions, streamStateRows } from './state/state-rows.ts'
export {
  createStateScope,
  type StateScope,
  type StateScopeOptions,
  type UpdateOp,
  type UpdateResult,
} from './state/state-scope.ts'
export type { InTurn, Turn, TurnOptions } from './state/turns.ts'
export { findAkinFew, findNearest, findNearestFew } from './suggestions/nearest.ts'
export { suggestNames, suggestWord } from './suggestions/suggestion.ts'
export type { Channel, ChannelReader, ChannelRef, ChannelWriter } from './wire/channel.ts'
export { keepJson } from './wire/json-text.ts'
export type { FormerConnection, ReattachStore } from './wire/reattach.ts'
export { createSlotMap, type SlotMap } from './wire/slot-map.ts'
export type { FunctionOptions, FunctionRegistration, Registration } from './worker/function.ts'
export type { Naming } from './worker/presence.ts'
export { registerWorker } from './worker/register-worker.ts'
export { serveContract } from './worker/serve-contract.ts'
export { checkApiPath, checkCronExpression, findParamConflict } from './worker/trigger-config.ts'
export type {
  ConfigurationTriggerConfig,
  CronTriggerConfig,
  HttpRequest,
  HttpResponse,
  HttpTriggerConfig,
  QueueTriggerConfig,
  StateTriggerConfig,
  StreamTriggerConfig,
  TriggerConfigOf,
  TriggerConfigs,
} from './worker/trigger-configs.ts'
export type { Binding, TriggerTypeHandler, TriggerTypeInput } from './worker/trigger-types.ts'
export type { TriggerInput } from './worker/triggers.ts'
export type { RegisterWorkerOptions, Worker } from './worker/worker.ts'
