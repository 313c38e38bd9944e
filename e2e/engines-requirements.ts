/** What holds on engines 0.22 and 0.23 alike, though they do it differently: a part of `requirements.ts`. */
export const enginesRequirements = {
  'engines/side-by-side': {
    promise:
      'bridges for everybody and for one client each, and commands, are on one engine at once: each stays connected, one serves, and none says the same again',
    source: 'design',
  },
  'engines/ready': {
    promise: 'a worker that says it is ready can be called by everybody, with all that it has',
    source: 'design',
  },
  'engines/standby-leaves': {
    promise: 'nobody notices that a process which stood by has left',
    source: 'design',
  },
  'engines/replies': { promise: 'an answer that comes at once is not lost', source: 'design' },
  'engines/strangers': {
    promise:
      'of two workers of somebody else with one name or one function, one serves, and clients see each tool once',
    source: 'design',
  },
  'namespaces/shown': {
    promise:
      'of one function in several namespaces clients see and call what the setting shows, and hear of no other; without namespaces there is one',
    source: 'design',
  },
  'namespaces/own': {
    promise: 'bridge and registry in a namespace of their own serve what is there, with everything that they have',
    source: 'design',
  },
  'namespaces/talk': {
    promise:
      'a function tells the client of its call what goes on, asks it, and hears that it has given up, whatever namespaces it and its bridge are in',
    source: 'design',
  },
  'namespaces/compose': {
    promise:
      'a program that is told its name and namespace by the environment is there under exactly these, or says who has the name',
    source: 'design',
  },
  'namespaces/granted': {
    promise: 'a program that access rules keep out of its namespace leaves, and nothing of it is in another one',
    source: 'security',
  },
} as const
