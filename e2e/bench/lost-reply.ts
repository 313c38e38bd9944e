/** A call that nobody answers any more. */
export class LostReply extends Error {}

/** Of calls over HTTP: far longer than any answer takes, and far shorter than the engine waits. */
export const ANSWER_MS = 2000
