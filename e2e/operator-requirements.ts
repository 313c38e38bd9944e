/** What operators are promised of settings, commands and engines: a part of `requirements.ts`. */
export const operatorRequirements = {
  'config/locked': {
    promise: 'a malformed configuration file locks bridge and registry with line and reason until it is mended',
    source: 'design',
  },
  'config/file': {
    promise: 'settings come from the file named by --config',
    source: 'mcp 0.5.8',
  },
  'config/missing': {
    promise: 'a configuration file that is named and missing is an error, as a broken one is',
    source: 'design',
  },
  'config/mistakes': {
    promise: 'every mistake of a file is told at once, each with line, rule and nearest word, unknown keys too',
    source: 'design',
  },
  'config/regular-file': {
    promise: 'what lies at the path of the configuration holds up neither start, requests nor stop',
    source: 'security',
  },
  'config/live': {
    promise: 'a change of a good file counts within two seconds, and clients hear of changed lists',
    source: 'design',
  },
  'config/environment': {
    promise:
      'each setting has a variable; in a micro-VM its name alone is enough; a wrong one is refused with what is right',
    source: 'mcp 0.3.2',
  },
  'commands/explain': {
    promise: '`iii-mcp explain` says which rule of the running bridge hides a function, and what would change that',
    source: 'design',
  },
  'commands/doctor': {
    promise: '`iii-mcp doctor` finds a working system well, and names what is not, with what to do',
    source: 'design',
  },
  'health/told': {
    promise: 'probes hear ready, degraded or away without a token, read nothing of the server, and cost it no call',
    source: 'design',
  },
  'commands/install': {
    promise: '`iii-mcp install` puts the server into a client and takes it out, and the rest of its file stays',
    source: 'design',
  },
  'commands/explain-running': {
    promise:
      '`iii-mcp explain` asks the running bridge for its settings, says whose it judged by, and knows skills and addresses',
    source: 'design',
  },
  'commands/doctor-tools': {
    promise:
      '`iii-mcp doctor` counts tools as clients do, says what hides the others, and advises commands that are complete',
    source: 'design',
  },
  'commands/help': {
    promise:
      'the help of each command has what it does, its own flags and three examples that are right, in 80 columns; colour is for terminals',
    source: 'design',
  },
  'commands/unread': {
    promise:
      'what a program prints and nobody reads is no failure, what it cannot write is one that says so, and where nobody can be told its exit code stays',
    source: 'design',
  },
  'commands/meant': {
    promise: 'a command or name that is not there is answered with what was meant, or what there is',
    source: 'design',
  },
  'commands/install-forms': {
    promise: '`iii-mcp install` writes each client its own form, an address too, and answers JSON on every failure',
    source: 'design',
  },
  'start/engine-version': {
    promise: 'workers and `start` say of an engine of another line than 0.22 and 0.23 that it is not supported yet',
    source: 'design',
  },
  'commands/install-foreign': {
    promise: '`iii-mcp install` leaves a server of somebody else alone, and says what to do',
    source: 'security',
  },
} as const
