import type { Principal } from '../auth/principal.ts'
import type { Lists } from '../changes/lists.ts'
import type { SubscriptionsListen } from '../changes/subscriptions-listen.ts'
import type { Era, McpCall } from '../mcp/call.ts'
import { negotiateRevision, STATELESS_REVISION } from '../mcp/era.ts'
import { invalidParams, type McpResult, readCursor } from '../mcp/rpc.ts'
import type { Completion } from '../prompts/completion.ts'
import type { McpPrompts } from '../prompts/index.ts'
import { SKILLS_EXTENSION, type SkillMethods } from '../resources/agent-skills.ts'
import type { McpResources } from '../resources/index.ts'
import type { Subscriptions } from '../resources/subscriptions.ts'
import { TASKS_EXTENSION, type Tasks } from '../tasks/index.ts'
import type { Tools } from '../tools/index.ts'
import { answersModel, listsInstead, refuses, works } from './engine-presence.ts'
import type { Method } from './index.ts'
import type { ServerInfo } from './result-text.ts'

/** What answers the methods. */
export interface Handlers {
  readonly tools: Tools
  readonly lists: Lists
  readonly resources: McpResources
  readonly agentSkills: SkillMethods
  readonly prompts: McpPrompts
  readonly completion: Completion
  readonly listening: SubscriptionsListen
  readonly subscriptions: Subscriptions
  readonly tasks: Tasks
  readonly serverInfo: ServerInfo
  /** What a model is told of this server. */
  readonly instructions: (principal: Principal, isSearched: boolean) => Promise<string>
}

const HANDSHAKE: readonly Era[] = ['session', 'plain']
const STATELESS: readonly Era[] = ['stateless']

const CAPABILITIES = {
  tools: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  prompts: { listChanged: true },
  logging: {},
  completions: {},
  extensions: SKILLS_EXTENSION,
}
const DISCOVERY = {
  supportedVersions: [STATELESS_REVISION],
  capabilities: { ...CAPABILITIES, extensions: { ...SKILLS_EXTENSION, [TASKS_EXTENSION]: {} } },
}

/** All methods that this server answers, by itself. */
function createOwnMethods({ tools, serverInfo, instructions }: Handlers): Record<string, Method> {
  return {
    initialize: {
      run: async ({ protocolVersion }, { principal }) => ({
        protocolVersion: negotiateRevision(protocolVersion),
        capabilities: CAPABILITIES,
        serverInfo,
        instructions: await instructions(principal, tools.searches(principal)),
      }),
      away: works,
      eras: HANDSHAKE,
      opensSession: true,
    },
    ping: { run: () => ({}), away: works, eras: HANDSHAKE },
    'server/discover': {
      run: async (_, { principal }) => ({
        ...DISCOVERY,
        instructions: await instructions(principal, tools.searches(principal)),
      }),
      away: works,
      eras: STATELESS,
      ttlMs: 60_000,
    },
  }
}

/** The method table. */
export function createMethods(handlers: Handlers): ReadonlyMap<string, Method> {
  const { tools, lists, resources, agentSkills, prompts, completion, listening, subscriptions, tasks } = handlers
  const templates = listsInstead('resources', resources.templatesBuiltIn, refuses)
  const task = { nameParam: 'taskId', away: refuses, eras: STATELESS }
  return new Map(
    Object.entries<Method>({
      ...createOwnMethods(handlers),
      // The catalog keeps the last list there was.
      'tools/list': {
        run: toOnePage(tools.list),
        away: listsInstead('tools', tools.listBuiltIn),
        ttlMs: 5_000,
      },
      'tools/call': {
        run: tools.call,
        away: answersModel(tools.worksAlone),
        unwrap: tools.unwrap,
        nameParam: 'name',
        calls: 'tool',
      },
      'resources/list': {
        run: toOnePage(lists.resources),
        away: listsInstead('resources', resources.listBuiltIn, refuses),
        ttlMs: 5_000,
      },
      'resources/templates/list': { run: toOnePage(lists.templates), away: templates, ttlMs: 5_000 },
      'resources/read': { run: resources.read, away: refuses, nameParam: 'uri', calls: 'section', ttlMs: 0 },
      'resources/directory/read': { run: agentSkills.directory, away: refuses },
      'skills/list': { run: agentSkills.list, away: refuses },
      'skills/get': { run: agentSkills.get, away: refuses },
      'resources/subscribe': {
        run: subscriptions.subscribe,
        away: (presence, params, call) => (call.session === undefined ? undefined : refuses(presence, params, call)),
        eras: HANDSHAKE,
      },
      'resources/unsubscribe': { run: subscriptions.unsubscribe, away: works, eras: HANDSHAKE },
      'subscriptions/listen': { run: listening.listen, away: works, eras: STATELESS },
      'logging/setLevel': { run: subscriptions.setLevel, away: works, eras: HANDSHAKE },
      'tasks/get': { run: tasks.get, ...task },
      'tasks/update': { run: tasks.update, ...task },
      'tasks/cancel': { run: tasks.cancel, ...task },
      'completion/complete': { run: completion.complete, away: refuses },
      'prompts/list': {
        run: toOnePage(lists.prompts),
        away: listsInstead('prompts', prompts.listBuiltIn, refuses),
        ttlMs: 5_000,
      },
      'prompts/get': { run: prompts.get, away: refuses, nameParam: 'name', calls: 'prompt' },
    }),
  )
}

/** A list that is whole at once: nobody was given a cursor for it, and who sends one would read its beginning again as the next page. */
function toOnePage(list: (call: McpCall) => McpResult | Promise<McpResult>): Method['run'] {
  return ({ cursor }, call) => {
    if (readCursor(cursor) !== undefined)
      throw invalidParams("the list is whole, and has no page for a 'cursor': leave it out")
    return list(call)
  }
}
