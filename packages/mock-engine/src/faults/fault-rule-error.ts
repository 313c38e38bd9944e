/** A fault rule that cannot be carried out; the text says what would be right. */
export class FaultRuleError extends Error {
  override name = 'FaultRuleError'
}
