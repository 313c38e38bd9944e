import { isManagementToolName } from '@iii/protocol'
import { CommandFailure, EXIT, type ExitCode, findNearest } from '@iii/sdk'
import type { BridgeSession } from '../cli/session.ts'
import { type BridgeOptions, toExposureRules } from '../options.ts'
import { formatList, formatOne } from './report.ts'
import { type Explained, type Survey, startSurvey } from './survey.ts'

/** `explain [FUNCTION]` */
export async function explain(session: BridgeSession): Promise<ExitCode> {
  const { settings, screen, operands, connect } = session
  if (settings.locked !== undefined) {
    const { file, reason } = settings.locked
    throw new CommandFailure(EXIT.usage, `${file}: ${reason}; a bridge with this file answers nothing`)
  }
  for (const warning of settings.warnings) screen.tell(`iii-mcp: ${warning}`)
  const [name] = operands
  const survey = await startSurvey(await connect(), toExposureRules(settings.value))
  try {
    return name === undefined ? await explainAll(session, survey) : await explainOne(session, survey, name)
  } finally {
    survey.close()
  }
}

async function explainAll({ flags, settings, screen }: BridgeSession, survey: Survey): Promise<ExitCode> {
  const { functions, leftOut } = await survey.all({ internal: flags.all })
  if (flags.json) {
    printJson(screen, { settings: toJsonSettings(settings.value), functions: functions.map(toJson), left_out: leftOut })
  } else {
    screen.print(formatList(functions, screen.columns))
    if (leftOut > 0) screen.tell(`${leftOut} functions of internal namespaces are left out; --all lists them`)
  }
  return EXIT.done
}

async function explainOne({ flags, settings, screen }: BridgeSession, survey: Survey, name: string): Promise<ExitCode> {
  const found = await survey.one(name)
  if (found === undefined) throw new CommandFailure(EXIT.missing, await explainAbsence(name, survey))
  if (flags.json) printJson(screen, { settings: toJsonSettings(settings.value), ...toJson(found) })
  else screen.print(formatOne(found, screen.columns))
  return isSeen(found) ? EXIT.done : EXIT.failed
}

/** As a tool, or at least as a prompt. */
function isSeen({ tool, prompts }: Explained): boolean {
  return tool.shown || prompts.some(({ shown }) => shown)
}

async function explainAbsence(name: string, survey: Survey): Promise<string> {
  if (isManagementToolName(name)) return `${name} is a tool of the bridge itself, and no function of the engine`
  const { functions } = await survey.all({ internal: true })
  const names = functions.flatMap(({ id, tool }) => [id, tool.name])
  const nearest = findNearest(name, names)
  return `nobody registered ${name} on this engine${nearest === undefined ? '' : `; did you mean ${nearest}?`}`
}

function printJson(screen: BridgeSession['screen'], value: unknown): void {
  screen.print(`${JSON.stringify(value, null, 2)}\n`)
}

function toJsonSettings({ requireExpose, exposeAll, tier, hiddenPrefixes }: BridgeOptions) {
  const switches = { require_expose: requireExpose, expose_all: exposeAll }
  return { ...switches, tier: tier ?? null, hidden_prefixes: hiddenPrefixes }
}

function toJson({ id, tool, section, prompts }: Explained) {
  return { function_id: id, tool, section, prompts }
}
