/** Who may ask, and who may not: a part of `requirements.ts`. */
export const accessRequirements = {
  'access/made': {
    promise: 'what the command that makes a token prints is all that a bridge and a client need',
    source: 'design',
  },
  'access/live': {
    promise:
      'a token counts within two seconds of being written into the file, and no longer than that once it is taken out',
    source: 'design',
  },
  'access/malformed': {
    promise:
      'a malformed block locks the bridge at its start, and later leaves the last good one in force, as does one that is gone',
    source: 'security',
  },
  'access/stdio': {
    promise: 'the client that starts a process needs no token, and is held to the one that it shows',
    source: 'MCP',
  },
  'access/none': {
    promise:
      'without a token every request over HTTP is refused with a challenge and reaches nothing, and where no issuer is set no metadata is found',
    source: 'MCP',
  },
  'access/anonymous': {
    promise: 'whoever shows no token has the grant for those, and whoever shows a bad one has nothing',
    source: 'security',
  },
  'access/bus': {
    promise: 'while callers need a token a worker needs one too, or a grant for bare messages',
    source: 'security',
  },
  'access/limits': {
    promise: 'each caller has limits of its own, of requests and of calls under way, and no other feels them',
    source: 'MCP',
  },
  'access/undecided': {
    promise: 'a bridge that other names lead to serves nobody until its file says who may ask',
    source: 'security',
  },
  'access/runs': {
    promise: 'each caller is told of its own runs and calls, and of those of all where its grant says so',
    source: 'security',
  },
  'access/credentials': {
    promise: 'a header Authorization that is empty, doubled, too long or no text is a bad token like any other',
    source: 'security',
  },
  'access/forms': {
    promise:
      'however a request is written, it is let in by a token alone, and a name is hidden in every spelling of it',
    source: 'security',
  },
  'access/hidden': {
    promise: 'what a grant does not name is for its holder, on every path, as if it were not there',
    source: 'security',
  },
  'access/one-decision': {
    promise:
      'what a caller lists is what it calls, finds, reads and completes, whatever its grant is, and what explain says of it',
    source: 'security',
  },
  'access/apart': {
    promise: 'callers who ask at the same time, with equal ids, are each given their own answers',
    source: 'security',
  },
  'access/owned': {
    promise:
      'a session, a question, a request state and a task are their principal’s alone, at each bridge of an engine, and for others as if they were not there',
    source: 'security',
  },
  'access/ended': {
    promise:
      'a stream ends within a second of the end of its token, and within three of the token being taken out of the file; those of others go on',
    source: 'security',
  },
  'access/told': {
    promise: 'a change is told to those alone whose grant shows it, in both eras',
    source: 'security',
  },
  'access/traceless': {
    promise:
      'no token is in a log, in an answer or in what the engine keeps, in whichever header or in the address its caller put it, but for addresses in spans of the engine itself',
    source: 'security',
  },
} as const
