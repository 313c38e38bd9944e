import { createRandom } from './random.ts'
import type { FaultRule, Milliseconds } from './rule.ts'
import type { Subject } from './subject.ts'

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

/** @param onStrike - told of each strike. */
export function armRule<R extends FaultRule>(
  rule: R,
  seed: string,
  onStrike: (subject: Subject) => void,
): ArmedRule<R> {
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
