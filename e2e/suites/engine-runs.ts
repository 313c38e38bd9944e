import type { EngineAddress } from '../chosen-engine.ts'
import { NEEDS_OWN_ENGINE } from '../own-engine.ts'
import { IN_SEARCH_MODE } from '../search-mode.ts'
import { pickMeant } from './chosen-files.ts'
import type { ScenarioRun } from './scenarios.ts'

/** The files that look through the spans of an engine, of which one that is not told to keeps none. */
const IN_SPANS: readonly string[] = ['traceless']

/** A run of the suite on a running engine, and what it is called. */
export interface EngineRun extends ScenarioRun {
  readonly title: string
}

const toFile = (name: string) => `e2e/scenarios/${name}`

/** All scenarios, and those of search mode once more in it; the second only where the words choose one of them. */
export function toEngineRuns(engine: EngineAddress, filters: readonly string[]): EngineRun[] {
  const exclude = Object.keys(NEEDS_OWN_ENGINE).map(toFile)
  const all = { title: 'All scenarios', include: [toFile('**/*.test.ts')], exclude, filters, provide: { engine } }
  const files = IN_SEARCH_MODE.map((name) => toFile(`${name}.test.ts`)).filter((file) => !exclude.includes(file))
  const include = pickMeant(files, filters)
  const searching = { title: 'In search mode', include, filters: [], provide: { engine, searchMode: true } }
  return include.length === 0 ? [all] : [all, searching]
}

/** Those of the files that look through spans which the words choose. */
export function pickInSpans(filters: readonly string[]): string[] {
  return pickMeant(
    IN_SPANS.map((name) => toFile(`${name}.test.ts`)),
    filters,
  )
}
