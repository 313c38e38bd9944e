import type { JsonText } from '../json/json-text.ts'

/** Holds a value against a schema. @returns a sentence for each thing that is wrong. */
export type Validate = (schema: JsonText, value: JsonText) => string[]

/** What a keyword is checked with. */
export interface KeywordScope {
  /** Its value. */
  readonly argument: JsonText
  /** The schema it stands in. */
  readonly schema: ReadonlyMap<string, JsonText>
  readonly check: Validate
}

/** Checks a value against one keyword. */
export type Keyword = (scope: KeywordScope, value: JsonText) => string[]
