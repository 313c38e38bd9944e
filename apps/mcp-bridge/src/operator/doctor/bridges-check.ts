import { type Check, type Finding, ok, problem, skipped, warning } from '@iii/sdk/cli'
import { type Bridge, type Bridges, formatPlace } from '../../neighbours/asking.ts'
import { formatOpenness, isMoreOpen, toOpenness } from '../../neighbours/openness.ts'
import { findDifferences, toCompared } from '../../neighbours/told-settings.ts'
import { findOthers, isGiven } from '../explain/settings.ts'
import type { BridgeContext } from './context.ts'

/** Which bridges run on the engine, and would one let in whom another refuses? */
export const bridgesCheck: Check<BridgeContext> = {
  name: 'bridges',
  async run({ session }) {
    const bridges = await session.findBridges()
    if (bridges === undefined || bridges.all.length + bridges.served.length === 0) return skipped('no bridge runs')
    const serving = bridges.all.filter(({ serves }) => serves)
    const lines = [...bridges.all.flatMap(toLocked), ...serving.flatMap((owner) => compare(owner, bridges))]
    const silent = bridges.served.filter(({ bridge }) => bridge === undefined).map(({ path }) => path)
    const given = isGiven(session) ? compareGiven(serving, session.settings.value) : []
    return judge(bridges, [...lines, ...silent.map(toSilent), ...given])
  },
}

/** What is remarkable of a bridge, and how much. */
interface Line {
  readonly verdict: 'ok' | 'warning' | 'problem'
  readonly text: string
}

/** Those that work with other settings than one that serves a path. */
function compare(owner: Bridge, bridges: Bridges): Line[] {
  return findOthers(bridges, owner).flatMap(({ bridge, differs }): Line[] => {
    // Two that serve are each other's others: one line is enough.
    if (bridge.serves && owner.instance > bridge.instance) return []
    if (bridge.locked !== undefined || owner.locked !== undefined) return []
    const isRival = bridge.path === owner.path
    const keys = `${formatPlace(bridge)} works with other settings than ${formatPlace(owner)}: ${differs.join(', ')}`
    const [theirs, ours] = [toOpenness(bridge.settings), toOpenness(owner.settings)]
    if (isRival && (isMoreOpen(theirs, ours) || isMoreOpen(ours, theirs))) {
      const text = `${formatPlace(bridge)} ${formatOpenness(theirs)}, and ${formatPlace(owner)} ${formatOpenness(ours)}`
      return [{ verdict: 'problem', text }]
    }
    return [{ verdict: isRival ? 'warning' : 'ok', text: keys }]
  })
}

function toLocked(bridge: Bridge): Line[] {
  const { locked, serves } = bridge
  if (locked === undefined) return []
  const answers = serves ? 'answers nothing' : 'would answer nothing'
  return [{ verdict: serves ? 'problem' : 'warning', text: `${formatPlace(bridge)} ${answers}: ${locked}` }]
}

function toSilent(path: string): Line {
  return {
    verdict: 'warning',
    text: `the bridge at ${path} does not tell what it works with: it is of another version, or does not answer`,
  }
}

function compareGiven(serving: readonly Bridge[], given: Bridge['settings']): Line[] {
  return serving.flatMap((owner): Line[] => {
    if (owner.settings.apiPath.replace(/^\//, '') !== given.apiPath.replace(/^\//, '')) return []
    const differs = findDifferences(owner, toCompared(given))
    if (differs.length === 0) return []
    const verdict = isMoreOpen(toOpenness(owner.settings), toOpenness(given)) ? 'problem' : 'warning'
    const text = `${formatPlace(owner)} runs with other settings than those given here: ${differs.join(', ')}`
    return [{ verdict, text }]
  })
}

function judge({ all, served }: Bridges, lines: readonly Line[]): Finding {
  const paths = served.map(({ path }) => path).sort()
  const where = paths.length === 0 ? 'over stdio alone' : `at ${paths.join(', ')}`
  const summary = `${all.length} ${all.length === 1 ? 'bridge runs' : 'bridges run'}, ${where}`
  const details = lines.map(({ text }) => text)
  const has = (verdict: Line['verdict']) => lines.some((line) => line.verdict === verdict)
  if (has('problem')) return { ...problem(summary, SAME_FILE), details }
  return { ...(has('warning') ? warning(summary, SAME_FILE) : ok(summary)), details }
}

const SAME_FILE =
  'start all that serve one path with the same file (--config), or stop those that were not meant to run'
