import { accessRequirements } from './access-requirements.ts'
import { bridgeRequirements } from './bridge-requirements.ts'
import { builtinRequirements } from './builtin-requirements.ts'
import { clientRequirements } from './client-requirements.ts'
import { enginesRequirements } from './engines-requirements.ts'
import { failoverRequirements } from './failover-requirements.ts'
import { gateRequirements } from './gate-requirements.ts'
import { issuerRequirements } from './issuer-requirements.ts'
import { managementRequirements } from './management-requirements.ts'
import { mcpClientRequirements } from './mcp-client-requirements.ts'
import { modelRequirements } from './model-requirements.ts'
import { operatorRequirements } from './operator-requirements.ts'
import { packagingRequirements } from './packaging-requirements.ts'
import { pageRequirements } from './page-requirements.ts'
import { registryRequirements } from './registry-requirements.ts'
import { runsRequirements } from './runs-requirements.ts'
import { runsToolsRequirements } from './runs-tools-requirements.ts'
import { searchRequirements } from './search-requirements.ts'
import { startRequirements } from './start-requirements.ts'
import { telemetryRequirements } from './telemetry-requirements.ts'

/**
 * Every behaviour that we promise and that only whole processes can prove: id → what is promised, and who says so.
 * A scenario names the ids that it proves; `requirements.test.ts` fails for a promise that nobody proves.
 */

interface Requirement {
  /** What holds, in one sentence. */
  promise: string
  /** Where the promise comes from. */
  source:
    | 'main job'
    | 'mcp 0.3.2'
    | 'mcp 0.5.8'
    | 'skills 0.2.2'
    | 'seed 003'
    | 'seed 004'
    | 'MCP'
    | 'JSON-RPC'
    | 'design'
    | 'security'
}

export const requirements = {
  ...accessRequirements,
  ...registryRequirements,
  ...clientRequirements,
  ...enginesRequirements,
  ...failoverRequirements,
  ...gateRequirements,
  ...issuerRequirements,
  ...managementRequirements,
  ...mcpClientRequirements,
  ...operatorRequirements,
  ...bridgeRequirements,
  ...builtinRequirements,
  ...modelRequirements,
  ...pageRequirements,
  ...packagingRequirements,
  ...runsRequirements,
  ...runsToolsRequirements,
  ...searchRequirements,
  ...startRequirements,
  ...telemetryRequirements,

  'client/connect': { promise: 'official MCP clients connect, each in its revision of the protocol', source: 'MCP' },
  'client/no-session': { promise: 'a request without a session is answered all the same', source: 'mcp 0.3.2' },
  'tools/list': {
    promise:
      'tools are listed with their titles, descriptions, annotations and the real input schemas of the functions',
    source: 'main job',
  },
  'tools/skill': {
    promise: 'the row of a tool that names its skill has the address of the skill, which its client can read',
    source: 'design',
  },
  'tools/call': {
    promise: 'a tool call runs the function with the arguments and returns its result',
    source: 'main job',
  },
  'tools/fault': {
    promise: 'a function that fails is a result with isError and the message, never a stack',
    source: 'design',
  },
  'tools/invalid-arguments': {
    promise: 'arguments that break the schema are refused with the field and the rule',
    source: 'main job',
  },
  'tools/worker-lost': {
    promise: 'a call whose worker goes away is answered within seconds that its outcome is unknown',
    source: 'design',
  },
  'tools/any-schema': {
    promise: 'a function with malformed schemas is a tool all the same, and no client loses the list for it',
    source: 'MCP',
  },
  'tools/official-sdk': {
    promise: 'functions of workers on the official iii-sdk are tools like any other',
    source: 'design',
  },
  'stranger/calls': {
    promise: 'workers on an official iii-sdk call and are called, with metadata, and without waiting',
    source: 'design',
  },
  'stranger/errors': { promise: 'they get and give errors with code and message', source: 'design' },
  'stranger/http': { promise: 'they serve HTTP with return values and with streams', source: 'design' },
  'stranger/state': { promise: 'they keep values in engine state and hear of changes', source: 'design' },
  'stranger/messages': { promise: 'they publish, subscribe, and take durable messages', source: 'design' },
  'stranger/channels': { promise: 'they stream through channels', source: 'design' },
  'stranger/trigger-types': { promise: 'they provide trigger types and refuse bindings', source: 'design' },
  'stranger/log': { promise: 'they log through the engine and hear log lines', source: 'design' },
  'stranger/reconnect': { promise: 'they are there again after a restart of the engine', source: 'design' },

  'tools/naming': {
    promise: 'ids that are no tool names by themselves get one, and calls find the way back',
    source: 'design',
  },
  'tools/live': {
    promise: 'a function that is registered or leaves while clients are connected joins or leaves the list',
    source: 'design',
  },
  'resources/list': { promise: 'the index, skills and nested skills are listed', source: 'skills 0.2.2' },
  'resources/index': {
    promise: '`iii://skills` is a tree of all skills with titles and summaries',
    source: 'skills 0.2.2',
  },
  'resources/skill': { promise: 'a skill and a nested skill are read as they were registered', source: 'skills 0.2.2' },
  'resources/section': {
    promise: '`iii://fn/…` calls the function and serves what it says now',
    source: 'skills 0.2.2',
  },
  'resources/templates': { promise: 'the address templates are listed', source: 'mcp 0.5.8' },
  'resources/refused': { promise: 'an address that cannot be read says what is wrong with it', source: 'skills 0.2.2' },
  'resources/fetch': { promise: '`skill__fetch` reads several addresses in one call', source: 'skills 0.2.2' },
  'prompts/list': { promise: 'prompts are listed with description and arguments', source: 'skills 0.2.2' },
  'prompts/get': { promise: 'a prompt is rendered with its arguments', source: 'skills 0.2.2' },
  'prompts/unknown-order': {
    promise: '`refund-order` renders for any order id and says so when there is none',
    source: 'main job',
  },
  'prompts/refused': { promise: 'an unknown prompt is an error that names it', source: 'skills 0.2.2' },

  'gate/internal': {
    promise: 'internal namespaces are neither listed nor callable, whatever the flags',
    source: 'mcp 0.3.2',
  },
  'gate/not-exposed': { promise: 'an unexposed function is neither listed nor callable', source: 'mcp 0.3.2' },
  'gate/require-expose': { promise: '`require_expose` serves only what opted in', source: 'mcp 0.5.8' },
  'gate/operator-prefix': {
    promise: 'functions under a hidden prefix of the operator are neither listed nor callable',
    source: 'mcp 0.5.8',
  },
  'gate/sections': { promise: 'sections and skill__fetch pass the same gate as tools', source: 'security' },
  'gate/prompts': { promise: 'a prompt whose handler is hidden is neither listed nor rendered', source: 'security' },
  'gate/circles': {
    promise: 'what leads to itself, by addresses or MCP messages and through whatever workers, ends at the fourth step',
    source: 'security',
  },
  'gate/fresh': {
    promise: 'a function that was exposed and no longer is, is refused within seconds',
    source: 'design',
  },

  'twin/one-serves': {
    promise:
      'of two processes of the same worker one serves, the newer on engine 0.22 and the older on 0.23, and the logs say which',
    source: 'design',
  },
  'twin/other-returns': {
    promise: 'the other one serves within a second when that one is gone, and nothing is lost',
    source: 'design',
  },
  'twin/gap': {
    promise: 'requests while neither of two serves fail at once, none hangs, and sessions go on',
    source: 'design',
  },
  'restart/bridge': { promise: 'a restarted bridge takes its sessions over', source: 'design' },
  'restart/second': {
    promise: 'workers outlive their engine, and are all there within a second of its port being open again',
    source: 'design',
  },
  'restart/engine': {
    promise: 'after a restart of the engine every worker is there again, and stored content too',
    source: 'main job',
  },

  'http/reply': { promise: 'the reply is JSON or one event, as Accept says', source: 'design' },
  'http/notification': { promise: 'a notification is answered 202 without a body', source: 'mcp 0.5.8' },
  'http/sessions': { promise: 'GET and DELETE without a session are 405, an unknown session is 404', source: 'design' },
  'http/origin': { promise: 'foreign Host or Origin headers are refused with 403', source: 'MCP' },
  'http/bad-input': {
    promise: 'what is not a proper request is refused with the code, the reason and the id',
    source: 'JSON-RPC',
  },
  'http/too-large': {
    promise: 'a body over the limit is refused with 413 and the limit, and hurts nobody else',
    source: 'security',
  },
  'http/no-leaks': { promise: 'no answer holds a stack or a path', source: 'security' },
  'bus/bare-message': { promise: 'a bare JSON-RPC message by iii.trigger is answered', source: 'design' },

  'curl/mcp-0.3.2': { promise: 'the curl lines of mcp 0.3.2 show what its text says', source: 'mcp 0.3.2' },
  'curl/mcp-0.5.8': { promise: 'the curl lines of mcp 0.5.8 show what its text says', source: 'mcp 0.5.8' },
  'inspector/cli': { promise: 'the MCP Inspector lists and uses everything', source: 'mcp 0.3.2' },

  'package/protocol': {
    promise: '@iii/protocol works from plain JS, from TypeScript with nodenext and bundler, and in a browser bundle',
    source: 'main job',
  },
} as const satisfies Record<string, Requirement>

export type RequirementId = keyof typeof requirements
