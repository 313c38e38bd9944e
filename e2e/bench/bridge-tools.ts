/** Tools in numbers: for each size as many functions of one tier, so that a bridge with that tier lists just these. */

export const SIZES = [10, 50, 1000] as const
export type ToolSize = (typeof SIZES)[number]

export function toTier(size: ToolSize): string {
  return `bench-${size}`
}

/** @param number from 1 */
export function toSizedToolId(size: ToolSize, number: number): string {
  return `bench_${size}::tool_${String(number).padStart(4, '0')}`
}

/** About as much as an ordinary tool says of itself. */
export const REQUEST_FORMAT = {
  type: 'object',
  properties: {
    customer: { type: 'string', minLength: 1, maxLength: 200, description: 'Who the order is for, by name' },
    text: { type: 'string', maxLength: 1000, description: 'What shall be written on the delivery note' },
    quantity: { type: 'integer', minimum: 1, maximum: 999, default: 1, description: 'How many pieces' },
    express: { type: 'boolean', default: false, description: 'Whether it shall be there tomorrow' },
  },
  required: ['customer', 'text'],
}

/** For the list that a client gets. */
export const DESCRIPTION = 'Takes what a customer wants, and answers with what was taken. It changes nothing.'
