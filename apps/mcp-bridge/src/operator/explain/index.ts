import { CALL_TOOL_NAME, DEFAULT_NAMESPACE, isInternalId, MANAGEMENT_TOOL_NAMES, SEARCH_TOOL_NAME } from '@iii/protocol'
import { findNearest } from '@iii/sdk'
import { CommandFailure, EXIT, type ExitCode, requireUsableFile } from '@iii/sdk/cli'
import type { Principal } from '../../auth/principal.ts'
import type { BridgeOptions } from '../../options.ts'
import { CANNED_PROMPTS } from '../../prompts/canned/index.ts'
import type { BridgeSession } from '../session.ts'
import { type BuiltIn, explainBuiltIn, explainManagementTools } from './built-in.ts'
import type { Explained } from './explained.ts'
import { formatAddress, formatList, formatOne, formatOwn } from './report.ts'
import { findSettingsOf, type JudgedBy } from './settings.ts'
import { type Survey, startSurvey } from './survey.ts'
import { findViewer } from './viewer.ts'

/** `explain [FUNCTION]` */
export async function explain(session: BridgeSession): Promise<ExitCode> {
  const { settings, operands, connect, flags } = session
  requireUsableFile(settings)
  const [name] = operands
  const by = await findSettingsOf(session)
  if (!flags.json) session.screen.tell(by.remark)
  const viewer = findViewer(flags, by.settings.auth)
  if (viewer.remark !== undefined && !flags.json) session.screen.tell(viewer.remark)
  const { principal } = viewer
  const own = name === undefined ? undefined : explainBuiltIn(name, by.settings, principal)
  // The name is reserved for it: no function has it, and no engine is needed.
  if (own?.kind === 'management_tool' || own?.kind === 'search_tool') return printOwn(session, by, own)
  const engine = await connect()
  const { namespaces } = by.settings
  const survey = await startSurvey(engine, { rules: by.settings, namespaces, principal })
  try {
    const question = { session, survey, by, principal }
    return name === undefined ? await explainAll(question) : await explainOne({ ...question, name })
  } finally {
    survey.close()
  }
}

async function explainAll({ session, survey, by, principal }: Question): Promise<ExitCode> {
  const { flags, screen } = session
  const { functions, leftOut } = await survey.all({ internal: flags.all })
  const { resources } = survey
  if (flags.json) {
    const management = explainManagementTools(by.settings, principal).map(toJsonOwn)
    const found = { functions: functions.map(toJson), left_out: leftOut, resources, management_tools: management }
    screen.printJson({ ...toJsonSettings(by), ...found })
  } else {
    const management = explainManagementTools(by.settings, principal)
    screen.print(formatList({ functions, resources, management, namespace: by.namespace }, screen.columns))
    if (leftOut > 0)
      screen.tell(`${leftOut} functions that only engine and workers call are left out; --all lists them`)
  }
  return EXIT.done
}

interface Question {
  readonly session: BridgeSession
  readonly survey: Survey
  readonly by: JudgedBy
  readonly principal: Principal
}

async function explainOne({
  session,
  survey,
  by,
  principal,
  name,
}: Question & { readonly name: string }): Promise<ExitCode> {
  const { flags, screen } = session
  const found = await survey.one(name)
  if (found !== undefined) {
    if (flags.json) screen.printJson({ ...toJsonSettings(by), ...toJson(found) })
    else screen.print(formatOne(found, screen.columns, screen.paint))
    return isSeen(found) ? EXIT.done : EXIT.failed
  }
  const own = explainBuiltIn(name, by.settings, principal)
  if (own !== undefined) return printOwn(session, by, own)
  const address = findAddress(name, survey)
  if (address === undefined) throw new CommandFailure(EXIT.missing, await explainAbsence(name, survey))
  if (flags.json) screen.printJson({ ...toJsonSettings(by), resource: address, shown: true })
  else screen.print(formatAddress(address))
  return EXIT.done
}

const OWN_TOOL_NAMES = [...MANAGEMENT_TOOL_NAMES, SEARCH_TOOL_NAME, CALL_TOOL_NAME]

/** What the registry has under an address, or under the id of a skill. */
function findAddress(name: string, { registered: { resources } }: Survey): { uri: string; name: string } | undefined {
  const row = resources.get(name) ?? resources.get(`iii://${name}`)
  return row === undefined ? undefined : { uri: row.uri, name: row.name }
}

function printOwn({ flags, screen }: BridgeSession, by: JudgedBy, own: BuiltIn): ExitCode {
  if (flags.json) screen.printJson({ ...toJsonSettings(by), ...toJsonOwn(own) })
  else screen.print(formatOwn(own, screen.columns))
  return own.stdio.usable || own.http.usable ? EXIT.done : EXIT.failed
}

/** As a tool, or at least as a prompt. */
function isSeen({ tool, prompts }: Explained): boolean {
  return tool.shown || prompts.some(({ shown }) => shown)
}

async function explainAbsence(name: string, survey: Survey): Promise<string> {
  const { tools, outOfSight } = await survey.elsewhere(name)
  if (tools.length > 0) return `${name} is in several namespaces: name one of its tools, ${tools.join(' or ')}`
  if (outOfSight.length > 0) return explainOutOfSight(name, outOfSight)
  const { functions } = await survey.all({ internal: true })
  const known = functions.flatMap(({ id, tool, prompts }) => [id, tool.name, ...prompts.map((prompt) => prompt.name)])
  const addresses = survey.resources.map(({ uri }) => uri)
  const names = [...known, ...addresses, ...addresses.map(toSkillId), ...OWN_TOOL_NAMES, ...CANNED_PROMPTS]
  const nearest = findNearest(name, names)
  return `nobody registered ${name} on this engine${nearest === undefined ? '' : `; did you mean ${nearest}?`}`
}

function explainOutOfSight(name: string, namespaces: readonly string[]): string {
  const where = `${namespaces.length === 1 ? 'namespace' : 'namespaces'} ${namespaces.map((one) => `'${one}'`).join(', ')}`
  const registered = `${name} is registered in the ${where}`
  if (isInternalId(name)) return `${registered}, and its first segment is internal: no bridge shows it`
  return `${registered}, which this bridge does not show; --namespaces ${namespaces.join(',')} would`
}

function toSkillId(uri: string): string {
  return uri.replace(/^iii:\/\//, '')
}

function toJsonSettings({ settings, from, namespace = DEFAULT_NAMESPACE }: JudgedBy) {
  return { settings_from: from, settings: toKeys(settings, namespace) }
}

function toKeys(options: BridgeOptions, namespace: string) {
  const { requireExpose, exposeAll, tier, hiddenPrefixes, namespaces, noBuiltins, httpBuiltins, allowRun } = options
  return {
    require_expose: requireExpose,
    expose_all: exposeAll,
    tier: tier ?? null,
    hidden_prefixes: hiddenPrefixes,
    namespace,
    namespaces,
    no_builtins: noBuiltins,
    http_builtins: httpBuiltins,
    allow_run: allowRun,
  }
}

function toJsonOwn({ kind, name, stdio, http }: BuiltIn) {
  return { [kind]: name, stdio, http }
}

function toJson({ id, namespace, tool, section, prompts }: Explained) {
  return { function_id: id, ...(namespace === undefined ? {} : { namespace }), tool, section, prompts }
}
