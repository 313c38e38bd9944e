import type { ExposureRules } from '@iii/protocol'

/** A prompt that the bridge brings along: how to do something on an engine, with code that runs as it is printed. */
export interface CannedPrompt {
  readonly name: string
  readonly title: string
  readonly description: string
  /** All are required. */
  readonly arguments: readonly CannedArgument[]
  /** @param values one for each argument, not blank @returns markdown, or a mistake in the values */
  render(values: Readonly<Record<string, string>>, facts: Pick<Facts, 'rules'>): string | Mistake
}

export interface CannedArgument {
  readonly name: string
  readonly description: string
  /** What it may be; of some arguments only the beginning. */
  values(facts: Facts): readonly string[] | Promise<readonly string[]>
}

/** What is wrong with an argument, and what would be right. */
export interface Mistake {
  readonly mistake: string
}

/** What prompts say depends on. */
export interface Facts {
  /** Which functions this bridge shows. */
  readonly rules: ExposureRules
  /** @throws what the engine says */
  readonly functionIds: () => Promise<readonly string[]>
}
