import type { BusWorker } from '../bus/workers.ts'
import { createRandom } from './random.ts'
import type { DelayCall, DelayResult, FaultName, FaultRule, Milliseconds, RuleOf, SlowHttp } from './rule.ts'
import { formatRule } from './rule-text.ts'

/** What an occasion is about: whatever of it is known. */
export interface Subject {
  readonly functionId?: string | undefined
  /** The connection, `undefined` for a function of the engine's own. */
  readonly workerId?: string | undefined
  readonly workerName?: string | undefined
}

/** A connection, and the function it does something about. */
export function toSubject(worker: BusWorker, functionId?: string): Subject {
  return { functionId, workerId: worker.id, workerName: worker.report?.name }
}

/** A fault that struck. */
export interface Strike {
  readonly rule: FaultRule
  readonly functionId: string | undefined
  /** Name of the worker, or the id of a connection that has reported none. */
  readonly worker: string | undefined
}

/** A rule in force. It draws from a stream of random numbers of its own, so that other rules do not change what it does. */
export interface ArmedRule<R extends FaultRule = FaultRule> {
  readonly rule: R
  /** How often it has struck. */
  readonly struck: number
  /** Whether function and worker are those the rule is about. */
  readonly fits: (subject: Subject) => boolean
  /** Decides at an occasion. One that does not fit is none: it neither counts nor draws. */
  strikes(subject: Subject): boolean
  /** A time between the two ends of a range. */
  draw(time: Milliseconds): number
  /** The next number of its stream. */
  readonly random: () => number
}

/** The rules in force. */
export interface Rulebook {
  /** Whether there are none. */
  readonly empty: boolean
  /** The rules about a fault, in the order they were armed. */
  of<N extends FaultName>(fault: N): readonly ArmedRule<RuleOf<N>>[]
  /** Those of them that strike at an occasion. Each is asked, whatever the others say. */
  striking<N extends FaultName>(fault: N, subject: Subject): readonly ArmedRule<RuleOf<N>>[]
  /** The sum of what those draw that strike, in milliseconds. */
  delay(fault: (DelayCall | DelayResult | SlowHttp)['fault'], subject: Subject): number
  /** Puts a rule in force that was found right. */
  arm(rule: FaultRule): ArmedRule
  disarm(entry: ArmedRule): void
}

const NONE: readonly never[] = []

/** @param onStrike - told of each strike of any rule. */
export function createRulebook(seed: number, onStrike: (strike: Strike) => void): Rulebook {
  const armed = new Map<FaultName, readonly ArmedRule[]>()
  const copies = new Map<string, number>()

  /** The stream depends on what a rule says and on how often the same was said before, not on the other rules. */
  function seedOf(rule: FaultRule): string {
    const text = formatRule(rule)
    const copy = (copies.get(text) ?? 0) + 1
    copies.set(text, copy)
    return `${seed} ${copy} ${text}`
  }

  const of = <N extends FaultName>(fault: N) => (armed.get(fault) ?? NONE) as readonly ArmedRule<RuleOf<N>>[]
  const striking = <N extends FaultName>(fault: N, subject: Subject) =>
    of(fault).filter((entry) => entry.strikes(subject))
  return {
    get empty() {
      return armed.size === 0
    },
    of,
    striking,
    delay: (fault, subject) => striking(fault, subject).reduce((sum, entry) => sum + entry.draw(entry.rule.ms), 0),
    arm(rule) {
      const entry = armRule(rule, seedOf(rule), ({ functionId, workerId, workerName }) =>
        onStrike({ rule, functionId, worker: workerName ?? workerId }),
      )
      armed.set(rule.fault, [...of(rule.fault), entry])
      return entry
    },
    disarm(entry) {
      const { fault } = entry.rule
      const others = of(fault).filter((other: ArmedRule) => other !== entry)
      if (others.length > 0) armed.set(fault, others)
      else armed.delete(fault)
    },
  }
}

function armRule(rule: FaultRule, seed: string, onStrike: (subject: Subject) => void): ArmedRule {
  // Each kind of rule has some of them.
  const limits = rule as Limits
  const fits = createFilter(limits)
  const random = createRandom(seed)
  let passed = 0
  let struck = 0
  return {
    rule,
    fits,
    random,
    get struck() {
      return struck
    },
    strikes(subject) {
      if (struck >= (limits.times ?? Number.POSITIVE_INFINITY) || !fits(subject)) return false
      if (passed < (limits.skip ?? 0)) {
        passed++
        return false
      }
      if (limits.chance !== undefined && random() >= limits.chance) return false
      struck++
      onStrike(subject)
      return true
    },
    draw(time) {
      if (typeof time === 'number') return time
      const [min, max] = time
      return Math.min(max, min + Math.floor(random() * (max - min + 1)))
    },
  }
}

/** The matchers, whichever of them the rule has. */
interface Limits {
  readonly function?: string
  readonly worker?: string
  readonly chance?: number
  readonly times?: number
  readonly skip?: number
}

function createFilter({ function: called, worker }: Limits): (subject: Subject) => boolean {
  const isFunction = called === undefined ? undefined : toPattern(called)
  const isWorker = worker === undefined ? undefined : toPattern(worker)
  return ({ functionId = '', workerId = '', workerName = '' }) =>
    (isFunction?.test(functionId) ?? true) && (!isWorker || isWorker.test(workerId) || isWorker.test(workerName))
}

function toPattern(glob: string): RegExp {
  const literals = glob.split('*').map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'))
  return new RegExp(`^${literals.join('.*')}$`, 's')
}
