/** What our archives and releases promise, and only whole processes can prove: a part of `requirements.ts`. */
export const packagingRequirements = {
  'archive/same': { promise: 'a second build of the worker archives gives the same bytes', source: 'design' },
  'archive/contents': {
    promise: 'an archive holds one script that needs nothing beside it, and a bundle its manifest',
    source: 'design',
  },
  'archive/manifest': {
    promise: 'the published manifest of `mcp` has `skills` installed first; the local one needs no registry',
    source: 'design',
  },
  'archive/payload': {
    promise:
      'what the registry is told comes from the running worker: each function with both schemas, each trigger type',
    source: 'design',
  },
  'archive/runs': {
    promise:
      'an unpacked archive, started as the engine starts it, is registered within a second, answers, and stops on SIGTERM within two with nothing left',
    source: 'design',
  },
  'archive/anywhere': {
    promise: 'the script runs under any name and below a package.json of any type',
    source: 'design',
  },
  'archive/light': { promise: 'the first output of a worker costs at most 250 ms of CPU time', source: 'design' },
  'release/whole': {
    promise:
      'a change set becomes versions, changelogs, npm packages and archives by the scripts that the workflow calls',
    source: 'design',
  },
  'release/install': {
    promise: 'what was published installs with npm into an empty project and runs',
    source: 'design',
  },
} as const
