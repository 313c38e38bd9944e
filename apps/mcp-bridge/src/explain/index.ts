import { MANAGEMENT_TOOL_NAMES } from '@iii/protocol'
import { findNearest } from '@iii/sdk'
import { CommandFailure, EXIT, type ExitCode, requireUsableFile } from '@iii/sdk/cli'
import { CANNED_PROMPTS } from '../canned-prompts/index.ts'
import type { BridgeSession } from '../cli/session.ts'
import { type BridgeOptions, toExposureRules } from '../options.ts'
import { explainManagementTools, explainOwn, type Own } from './own.ts'
import { formatList, formatOne, formatOwn } from './report.ts'
import { type Explained, type Survey, startSurvey } from './survey.ts'

/** `explain [FUNCTION]` */
export async function explain(session: BridgeSession): Promise<ExitCode> {
  const { settings, operands, connect } = session
  requireUsableFile(settings)
  const [name] = operands
  const tool = name === undefined ? undefined : explainOwn(name, settings.value)
  // The name is reserved for it: no function has it, and no engine has to be asked.
  if (tool?.kind === 'management_tool') return printOwn(session, tool)
  const survey = await startSurvey(await connect(), {
    rules: toExposureRules(settings.value),
    namespaces: settings.value.namespaces,
  })
  try {
    return name === undefined ? await explainAll(session, survey) : await explainOne(session, survey, name)
  } finally {
    survey.close()
  }
}

async function explainAll({ flags, settings, screen }: BridgeSession, survey: Survey): Promise<ExitCode> {
  const { functions, leftOut } = await survey.all({ internal: flags.all })
  if (flags.json) {
    const management = explainManagementTools(settings.value).map(toJsonOwn)
    const found = { functions: functions.map(toJson), left_out: leftOut, management_tools: management }
    screen.printJson({ settings: toJsonSettings(settings.value), ...found })
  } else {
    screen.print(formatList(functions, explainManagementTools(settings.value), screen.columns))
    if (leftOut > 0) screen.tell(`${leftOut} functions of internal namespaces are left out; --all lists them`)
  }
  return EXIT.done
}

async function explainOne(session: BridgeSession, survey: Survey, name: string): Promise<ExitCode> {
  const { flags, settings, screen } = session
  const found = await survey.one(name)
  if (found === undefined) {
    const own = explainOwn(name, settings.value)
    if (own !== undefined) return printOwn(session, own)
    throw new CommandFailure(EXIT.missing, await explainAbsence(name, survey))
  }
  if (flags.json) screen.printJson({ settings: toJsonSettings(settings.value), ...toJson(found) })
  else screen.print(formatOne(found, screen.columns))
  return isSeen(found) ? EXIT.done : EXIT.failed
}

function printOwn({ flags, settings, screen }: BridgeSession, own: Own): ExitCode {
  if (flags.json) screen.printJson({ settings: toJsonSettings(settings.value), ...toJsonOwn(own) })
  else screen.print(formatOwn(own, screen.columns))
  return own.stdio.usable || own.http.usable ? EXIT.done : EXIT.failed
}

/** As a tool, or at least as a prompt. */
function isSeen({ tool, prompts }: Explained): boolean {
  return tool.shown || prompts.some(({ shown }) => shown)
}

async function explainAbsence(name: string, survey: Survey): Promise<string> {
  const [elsewhere] = await survey.elsewhere(name)
  if (elsewhere !== undefined) {
    return `${name} is registered in the namespace '${elsewhere}', which this bridge does not show; --namespaces ${elsewhere} would`
  }
  const { functions } = await survey.all({ internal: true })
  const known = functions.flatMap(({ id, tool, prompts }) => [id, tool.name, ...prompts.map((prompt) => prompt.name)])
  const names = [...known, ...MANAGEMENT_TOOL_NAMES, ...CANNED_PROMPTS]
  const nearest = findNearest(name, names)
  return `nobody registered ${name} on this engine${nearest === undefined ? '' : `; did you mean ${nearest}?`}`
}

function toJsonSettings(options: BridgeOptions) {
  const { requireExpose, exposeAll, tier, hiddenPrefixes, namespaces, noBuiltins, httpBuiltins, allowRun } = options
  return {
    require_expose: requireExpose,
    expose_all: exposeAll,
    tier: tier ?? null,
    hidden_prefixes: hiddenPrefixes,
    namespaces,
    no_builtins: noBuiltins,
    http_builtins: httpBuiltins,
    allow_run: allowRun,
  }
}

function toJsonOwn({ kind, name, stdio, http }: Own) {
  return { [kind]: name, stdio, http }
}

function toJson({ id, namespace, tool, section, prompts }: Explained) {
  return { function_id: id, ...(namespace === undefined ? {} : { namespace }), tool, section, prompts }
}
