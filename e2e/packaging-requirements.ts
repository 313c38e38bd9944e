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
      'an unpacked archive, started as the engine starts it, is registered after at most a second of CPU time, answers, and stops on SIGTERM within two with nothing left',
    source: 'design',
  },
  'archive/anywhere': {
    promise: 'the script runs under any name and below a package.json of any type',
    source: 'design',
  },
  'archive/light': { promise: 'the first output of a worker costs at most 250 ms of CPU time', source: 'design' },
  'package/contents': {
    promise: 'a packed package has README, licence, repository and engines, no tests and nothing of the workspace',
    source: 'design',
  },
  'package/imports': { promise: 'the packed libraries are imported as ES modules and work', source: 'design' },
  'package/types': {
    promise: 'the packed libraries type-check with nodenext and bundler, their own types and those they need included',
    source: 'design',
  },
  'package/documents': {
    promise:
      'the code of the documents compiles against the packed libraries, with TypeScript 5.4 and the newest, and the worker that they explain is packed with its skills',
    source: 'design',
  },
  'package/mistakes': {
    promise:
      'a wrong result is told by the compiler where it is returned, with what was returned and what is owed; a mistyped name where it is written',
    source: 'design',
  },
  'package/turns': {
    promise: 'what reads, decides and writes in turn loses no update, in all processes on one store',
    source: 'design',
  },
  'package/testing': {
    promise:
      'a function that asks is tested as its client calls it, and failures and results say what is wrong with them',
    source: 'design',
  },
  'package/surface': {
    promise: 'a worker finds what it needs in the SDK, a command line in a door of its own, each name in one of them',
    source: 'design',
  },
  'package/browser': {
    promise: 'the packed protocol bundles for a browser, under 16 kB after gzip without zod',
    source: 'design',
  },
  'package/bins': { promise: 'npx runs the installed programs', source: 'design' },
  'program/alone': {
    promise: 'the npm package of an app is one program that needs no other package, with the licences of what is in it',
    source: 'design',
  },
  'program/old-node': {
    promise: 'on a Node that is too old a program says which one it needs, and which one it got',
    source: 'design',
  },
  'program/fast': {
    promise:
      'started by a client, the server gives its first answer within 400 ms of CPU time, with and without an engine',
    source: 'mcp 0.3.2',
  },
  'program/workers': {
    promise: 'from npm and from an archive the server runs the workers that clients write, with our SDK',
    source: 'mcp 0.3.2',
  },
  'program/install': {
    promise:
      'a client is told to start this version with npx from npm, and the file with Node from a checkout or an archive',
    source: 'mcp 0.3.2',
  },
  'project/created': {
    promise:
      'what `npm create iii-worker` writes installs, type-checks and passes its tests, in TypeScript and in plain JavaScript',
    source: 'design',
  },
  'project/started': {
    promise: 'a created project connects to an engine, and says how to start one where there is none',
    source: 'design',
  },
  'project/packed': {
    promise: 'a created project makes archives of itself that run as the engine runs them',
    source: 'design',
  },
  'project/refused': {
    promise: '`npm create iii-worker` writes over nothing, and takes no name that agents would not see',
    source: 'design',
  },
  'release/whole': {
    promise:
      'a change set becomes versions, changelogs, npm packages and archives by the scripts that the workflow calls',
    source: 'design',
  },
  'release/carried': {
    promise: 'a change of a library is a release of the apps too, because they have the library in themselves',
    source: 'design',
  },
  'release/install': {
    promise: 'what was published installs with npm into an empty project and runs',
    source: 'design',
  },
  'settings/seeded': {
    promise: 'started by the engine, a worker stores a form of its settings there, filled in from environment and file',
    source: 'design',
  },
  'settings/live': {
    promise: 'a change of stored settings counts within two seconds, and clients hear of it',
    source: 'design',
  },
  'settings/stricter': {
    promise: 'what is stored can hide more and never show more, and never holds what runs code or lets anybody in',
    source: 'design',
  },
  'settings/kept': {
    promise: 'stored settings outlive the worker, and count before its environment and file',
    source: 'design',
  },
  'settings/by-hand': { promise: 'a worker that the engine did not start stores nothing there', source: 'design' },

  'bins/run': { promise: 'the built programs run by their bins: --version, --help, --manifest', source: 'main job' },
  'bins/removed-folder': { promise: 'programs run in a folder that is gone', source: 'main job' },
  'bins/stop': { promise: 'SIGTERM ends each program within two seconds', source: 'main job' },
  'bins/stdout': { promise: 'workers write nothing to stdout while they serve', source: 'design' },
  'bins/flags': {
    promise: 'an unknown flag is answered with the nearest one, or where to find it',
    source: 'main job',
  },
  'bins/port-taken': { promise: 'the engine alone says which port is taken', source: 'main job' },
} as const
