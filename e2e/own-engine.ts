/**
 * What cannot be had on an engine that somebody else runs, and why: a whole file of scenarios, or one scenario by its
 * sentence. Everything else runs on any engine, unchanged.
 */
export const NEEDS_OWN_ENGINE: Readonly<Record<string, string>> = {
  'start.test.ts': '`start` without --engine brings an engine along',
  'an engine without state or HTTP is told what it lacks, at once': 'the engine has to lack something',
  'an address of another engine is not announced, whoever names it': 'there have to be two engines',
  'an engine that says nothing of a function, or fails to, lets no call through': 'the engine has to fail',
  'a bridge whose route leads nowhere says what blocks it, and not that it is ready': 'the engine is broken for good',
  'start-data.test.ts': '`start` without --engine brings an engine along',
  'after a restart of the engine all workers and all stored content are there again': 'the engine is stopped',
  'the same processes are registered again within a second of the port of the engine being open':
    'the engine is stopped',
  'what the engine forgot at a restart is written back, and no list is short in between': 'the engine is stopped',
  'what nobody has read since the registry was started is written back after a restart of the engine':
    'the engine is stopped',
  'it is there again after a restart of the engine': 'the engine is stopped',
  'after a restart of the engine the worker is there again, and jobs run': 'the engine is stopped',
  'a restart of the engine leaves servers as they are, with their functions': 'the engine is stopped',
  'what is away is named with what to do, and the page comes back by itself': 'the engine is stopped',
  'worker-project.test.ts': 'each project has an engine for development of its own',
  'a bridge that may only be in another namespace leaves before the engine puts it into the default one':
    'the engine has access rules',
  'runs-inert.test.ts': 'the frames of the engine are looked at',
  'runs-full.test.ts': 'the state of the engine has to fail',
  'the built programs serve together, say nothing on stdout, and stop': 'the built engine is one of the programs',
}
