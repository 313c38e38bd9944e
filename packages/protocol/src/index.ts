export { AgentSkillEntry, agentSkillsFunctions, MAX_BRIEF_LENGTH, SkillFinding } from './agent-skills.ts'
export {
  CALL_OUTCOMES,
  type CallOutcome,
  MAX_VISIBLE_IDS,
  McpCallBatch,
  McpCallConfig,
  McpCallGap,
  McpCallRecord,
  VisibleAnswer,
  VisibleRequest,
} from './calls.ts'
export {
  MCP_CLIENT_ON_CALL,
  MCP_ON_CALL,
  MCP_ON_CALL_DESCRIPTION,
  PROMPTS_ON_CHANGE,
  PROMPTS_ON_CHANGE_DESCRIPTION,
  PromptChange,
  SKILLS_ON_CHANGE,
  SKILLS_ON_CHANGE_DESCRIPTION,
  SkillChange,
} from './changes.ts'
export { toDescription, toTitle } from './clean-text.ts'
export { compareText } from './compare-text.ts'
export { type ToolResult, type ToolResultOptions, toResultData, toToolError, toToolResult } from './content.ts'
export { Base64, ContentBlock, PromptMessage } from './content-block.ts'
export { defineContract, type FunctionContract } from './contract.ts'
export {
  type ExposureRules,
  FETCH_TOOL_ID,
  findActing,
  type Refusal,
  refuse,
  refuseInternal,
  type Via,
} from './exposure.ts'
export { FAULT_CODES, Fault, type FaultCode, formatFault, isFaultCode, parseFault, toFault } from './fault.ts'
export {
  checkFunctionId,
  checkPromptArguments,
  checkPromptDescription,
  checkPromptFunctionId,
  checkPromptName,
  checkSkillId,
  checkSkillPath,
  MAX_ID_BYTES,
  MAX_SEGMENT_BYTES,
  RESERVED_SKILL_ROOTS,
} from './ids.ts'
export { INTERNAL_ID_PREFIXES, INTERNAL_IDS, INTERNAL_NAMESPACES, isInternalId } from './internal-namespaces.ts'
export { checkDepth, findUnsafeInteger, isRecord, type JsonLimits, type JsonObject, toJsonText } from './json.ts'
export {
  CANCEL_DESK_PREFIX,
  CloseStream,
  CompletionAnswer,
  CompletionRequest,
  Delivery,
  LOG_LEVELS,
  type LogLevel,
  LogMessage,
  MCP_CHANGED,
  McpChange,
  ProgressReport,
  TaskResult,
  toViaIds,
} from './mcp-calls.ts'
export { InputRequired, McpPrincipal, McpSidecar, ProtocolError, readMcpSidecar } from './mcp-sidecar.ts'
export { isReservedMetaKey } from './meta-key.ts'
export {
  INSTANCE_KEY,
  MAX_TIMEOUT_MS,
  McpIcon,
  McpMetadata,
  RECORD_POLICIES,
  type RecordPolicy,
  RunsMetadata,
  readInstance,
  readMcpField,
  readMcpMetadata,
  readRunsMetadata,
} from './metadata.ts'
export { type SectionContent, toPromptMessages, toSectionContent } from './output.ts'
export { MAX_MESSAGE_BYTES, toPlainMessage } from './plain-message/index.ts'
export {
  GetPromptInput,
  GetPromptResult,
  McpPrompt,
  PromptArgument,
  PromptEntry,
  PromptRow,
  promptsFunctions,
  RegisterPromptInput,
  type RegisterPromptPayload,
} from './prompts.ts'
export { checkScope, DEFAULT_NAMESPACE, STATE_SCOPES, toScope } from './scopes.ts'
export { checkSkillBody, MAX_SKILL_BYTES } from './skill-body.ts'
export { explainFetchAddress, explainTooManyAddresses, explainUnread, joinRefusals } from './skill-fetch.ts'
export {
  checkFilePath,
  checkSkillFiles,
  MAX_FILE_PATH_BYTES,
  MAX_SKILL_FILE_BYTES,
  MAX_SKILL_FILES,
  MAX_SKILL_FILES_BYTES,
  SKILL_FILE,
  SkillFile,
  SkillFileFact,
} from './skill-files.ts'
export { isSkillShown } from './skill-prefixes.ts'
export { explainSkillUri, formatSkillUri, parseSkillUri, SKILL_SCHEME } from './skill-uri.ts'
export {
  FetchSkillInput,
  RegisterSkillInput,
  ResourceContents,
  ResourceEntry,
  ResourceTemplate,
  SkillEntry,
  SkillRow,
  skillsFunctions,
} from './skills.ts'
export {
  CALL_TOOL_NAME,
  formatToolName,
  isCanonicalId,
  isHashedToolName,
  isManagementToolName,
  MANAGEMENT_TOOL_NAMES,
  MAX_TOOL_NAME_LENGTH,
  parsePlacedToolName,
  parseToolName,
  SEARCH_TOOL_NAME,
} from './tool-name.ts'
export {
  explainUri,
  formatUri,
  INDEX_URI,
  MAX_URI_LENGTH,
  parseUri,
  type ResourceUri,
  requireUri,
} from './uri.ts'
export { cutUtf8, utf8Length } from './utf8.ts'
export { toVisible } from './visible-text.ts'
