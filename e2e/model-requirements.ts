/** What a model can count on when it is wrong, or asks for much: a part of `requirements.ts`. */
export const modelRequirements = {
  'model/unknown-arguments': {
    promise:
      'arguments that a function does not know are refused, in one text with those that are missing, which names what it takes and the nearest',
    source: 'design',
  },
  'model/reading': {
    promise: 'reading an address calls no function that says that it changes something, and says which tool does',
    source: 'design',
  },
  'model/texts': {
    promise: 'what a model reads of a refusal names no flag of the operator',
    source: 'design',
  },
  'model/not-there': {
    promise:
      'a name that is not there is answered with the nearest ones that the client may see, and with where all of them are',
    source: 'design',
  },
  'model/large-results': {
    promise:
      'a result over 100 kB is cut between elements, behind a text that says so and how to get the rest, also in a task',
    source: 'design',
  },
  'model/fetch': {
    promise: '`uris` wins where `uri` is given too, and the last line of the answer says that `uri` was not read',
    source: 'skills 0.2.2',
  },
  'model/fetch-limit': {
    promise:
      'a document of `skill__fetch` keeps to the limit of results by leaving out whole texts, which its last line names; one that is too large alone is cut, and says where all of it is',
    source: 'design',
  },
  'model/order': {
    promise: 'prompts and resources of the bridge itself stand behind those of workers',
    source: 'design',
  },
  'model/instructions': {
    promise:
      'the instructions name skills where a registry is there, with an index of at most 2000 characters, the most important first, and say what the prompts are for',
    source: 'design',
  },
  'model/tokens': {
    promise:
      'the tools of the sample take at most 2000 tokens of a context, counted as bytes ÷ 4; iii://functions has no more in its schemas',
    source: 'design',
  },
  'model/shared-parts': {
    promise:
      'a part that a schema repeats is there once, under `$defs`, in 2026-07-28, and in its place each time in the older revisions',
    source: 'design',
  },
  'model/data-alone': {
    promise:
      'a client that declares `iii/structured-content` gets one line in the place of a text that only repeats the data, also in a task',
    source: 'design',
  },
  'model/task': {
    promise:
      'what to refund, why it is refused and what a report counts, a model can tell from what the server says alone',
    source: 'design',
  },
} as const
