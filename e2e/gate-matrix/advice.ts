import { expect } from 'vitest'
import { IDS, TOOL_TEXTS, toReasonText } from './reasons.ts'

/** What to ask for instead of what is not there. Nothing that is hidden is among it. */
const ADVICE = /\. (?:Did you mean (.*)\? )?\S+ (?:(?:has|finds) all of them|says which to read)$/

export function cutAdvice(cell: string): string {
  const named = ADVICE.exec(cell)?.[1] ?? ''
  const hidden = IDS.filter((id) => toReasonText(id, TOOL_TEXTS) !== undefined)
  const words = named.split(/, | or /).map((word) => word.replace(/^iii:\/\/\w+\//, '').replace(/__|\//g, '::'))
  expect(hidden.filter((id) => words.includes(id))).toEqual([])
  return cell.replace(ADVICE, '')
}
