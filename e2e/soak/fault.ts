import type { Model } from './model.ts'
import type { Random } from './random.ts'
import type { SoakStage } from './stage.ts'

/** What a fault may do, and whom it has to tell. */
export interface FaultScene {
  readonly stage: SoakStage
  readonly random: Random
  /** What lies in the engine's state alone: gone with it, as documented. */
  readonly kept: readonly Model[]
  /** Reads every skill that was acknowledged. */
  readonly readAll: () => Promise<unknown>
  /** Tells what happens. */
  readonly say: (text: string) => void
}

/** Something that goes wrong. */
export interface SoakFault {
  readonly name: string
  /** Whether it can be had on this stage. @returns why not */
  lacks?(stage: SoakStage): string | undefined
  /** Breaks something, and mends what an operator, a supervisor or nature would mend. What is left is ours to recover from. */
  strike(scene: FaultScene): Promise<void>
}

export function requireMember({ members }: SoakStage, name: string) {
  const member = members.get(name)
  if (member === undefined) throw new Error(`There is no process '${name}'`)
  return member
}

export function requirePower({ engine }: SoakStage) {
  if (engine.power === undefined) throw new Error('The engine is somebody else’s')
  return engine.power
}

export const needsOwnEngine = ({ engine }: SoakStage): string | undefined =>
  engine.power === undefined ? 'the engine is somebody else’s: name its program' : undefined
