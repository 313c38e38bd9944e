/** What a model can count on when it is wrong, or asks for much: a part of `requirements.ts`. */
export const modelRequirements = {
  'model/unknown-arguments': {
    promise:
      'arguments that a function does not know are refused, in one text with those that are missing, which names what it takes and the nearest',
    source: 'design',
  },
} as const
