// The types of Node are a part of ours: whoever compiles against them has them from here.
/// <reference types="node" preserve="true" />

export type { ExposeRule } from './access/expose.ts'
export type { RestrictedListener } from './access/restricted-listener.ts'
export type { EngineGeneration } from './bus/generation.ts'
export { type ClientCallOptions, type ClientFunction, callAsClient } from './client/call-as-client.ts'
export type { ClientAnswer, ClientAnswers, ClientQuestion } from './client/questions.ts'
export type { SeenFrame } from './connections/frame-tap.ts'
export { type MockEngine, startMockEngine } from './engine.ts'
export type { Injected } from './faults/faults.ts'
export type {
  DelayCall,
  DelayResult,
  DropConnection,
  FailCall,
  FaultName,
  FaultRule,
  LoseEarlyResult,
  LoseResult,
  Milliseconds,
  RefuseHttp,
  Reorder,
  Restart,
  SlowHttp,
  StopReading,
} from './faults/rule.ts'
export { FaultRuleError, formatRule, readRule } from './faults/rule-text.ts'
export type { Strike } from './faults/rulebook.ts'
export type { CorsSettings } from './http/cors.ts'
export type { RestartOptions } from './lifecycle.ts'
export { PortTakenError } from './listen.ts'
export type { LogLine } from './observability/log-functions.ts'
export type { MockEngineOptions } from './options.ts'
export { createSharedState, type SharedState } from './state/store.ts'
export { EngineError } from './wire/engine-error.ts'
