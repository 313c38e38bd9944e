const COMMAND_WAITS = 'a command gives an engine that does not answer five seconds'
const EACH_PROGRAM = 'all seven programs start, and those that make archives and projects from source'
const ENGINE_TELLS =
  'the engine tells of functions every five seconds, and of some things never: then the bridge looks that often'
const FILE_SEEN = 'each change of a file is seen within a second, and it takes several'
const OWNER_SILENT = 'two processes start, and where nothing can be done silence is told after two seconds'
const PATIENCE = 'over stdio a request waits three seconds for an engine'
const SILENCE =
  'a call without a word becomes a stream after five seconds, and only then is it seen that its client has left'
const SUITE = 'the official suite takes its time, and all its sets run at once'
const UNREAD = 'the recorded engine gives a connection that is not read any more five seconds'
const TYPES = 'the type checker reads a whole project'

/**
 * The tests that take more than three seconds when nothing else runs, and why they have to; what a block of tests has in common does not
 * count. By file, then by the beginning of the name. `pnpm test:times` finds one that is missing here.
 */
export const LONG_TESTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'e2e/scenarios/agent-skills-many.test.ts': {
    'each file of a thousand skills': 'eleven hundred files are read one by one, as a host that verifies them does',
    'the Inspector verifies all': 'it reads eleven hundred files, one after the other',
  },
  'e2e/scenarios/agent-skills-again.test.ts': {
    'two bridges announce': 'registry and bridge are restarted, and each look over stdio starts a bridge',
  },
  'e2e/scenarios/agent-skills-strict.test.ts': {
    'a registry whose file says strict': FILE_SEEN,
    'a running registry is made strict':
      'registry and bridges start, and each of four clients reads all there is three times',
  },
  'e2e/scenarios/agent-skills-told.test.ts': {
    'a changed file is told to its subscriber':
      'two clients hear of a dozen changes one after the other, and over stdio each starts a bridge',
  },
  'e2e/scenarios/agent-skills-bounds.test.ts': {
    'the files of a skill have 16 MiB': 'it sends 16 MiB three times',
  },
  'e2e/scenarios/conformance-skills.test.ts': { 'the official suite finds nothing wrong with skills': SUITE },
  'e2e/scenarios/tool-search-restart.test.ts': {
    'search and calls go on':
      'a bridge is restarted, a second one is started, and one is killed, with three clients meanwhile',
  },
  'e2e/scenarios/grants.test.ts': {
    'to whoever has the tools of runs': 'the worker of runs writes calls down two seconds after they were told',
  },
  'e2e/scenarios/grants-skills.test.ts': {
    'the skills that each of 200 grants': 'two hundred callers ask for all lists, and for each skill',
  },
  'e2e/scenarios/issuer-keys.test.ts': {
    'a thousand tokens with keys of nobody': 'for tokens with unknown keys, keys are read every thirty seconds at most',
    'where the keys of an issuer cannot be read':
      'an issuer has three seconds to answer, and five until it is asked again',
    'while an issuer is away': 'an issuer has three seconds to answer',
  },
  'e2e/scenarios/traceless.test.ts': {
    'no token is in what is kept': 'a dozen tokens are shown wherever one can be put, and processes start',
  },
  'e2e/scenarios/one-decision.test.ts': {
    'whatever the file says': 'four callers try every way to every function under each of six files',
  },
  'e2e/scenarios/ended-tokens.test.ts': { 'streams end within': FILE_SEEN },
  'e2e/scenarios/grants-meanwhile.test.ts': {
    'a function that waits': FILE_SEEN,
  },
  'e2e/scenarios/two-at-once.test.ts': {
    'two who list and call': 'fewer requests would hide an answer that goes astray seldom',
  },
  'e2e/scenarios/told-by-grant.test.ts': {
    'a function is heard of': ENGINE_TELLS,
    'a grant that shows more': FILE_SEEN,
  },
  'e2e/scenarios/access.test.ts': { 'a change of the file counts': FILE_SEEN, 'a malformed block locks': FILE_SEEN },
  'e2e/scenarios/stdio-tokens.test.ts': {
    'a process over stdio answers no more': 'processes start, and the file is seen to change, or a token has to expire',
  },
  'apps/mcp-bridge/src/operator/doctor/index.test.ts': {
    'names an engine that does not answer': COMMAND_WAITS,
    'does not keep the other checks': 'a check that hangs has three seconds',
  },
  'apps/mcp-bridge/src/resources/engine/updates.test.ts': { 'hears of a trigger that was added later': ENGINE_TELLS },
  'apps/mcp-bridge/src/operator/explain/index.test.ts': { 'names the nearest function': COMMAND_WAITS },
  'apps/mcp-bridge/src/http/two-principals.test.ts': {
    'are each told their own, ten thousand times': 'fewer requests would hide an answer that goes astray seldom',
  },
  'apps/mcp-bridge/src/one-decision.test.ts': {
    'what is listed is what can be called': 'it tries every way to every function as forty callers',
  },
  'apps/mcp-bridge/src/one-decision-kinds.test.ts': {
    'sees one set on every way': 'it tries every way to every function as each kind of principal',
  },
  'apps/mcp-bridge/src/http/leaks.test.ts': {
    'leave nothing behind': 'fewer than a thousand streams would hide a leak among the timers of everything else',
  },
  'apps/mcp-bridge/src/management/tool-gate.test.ts': { 'are listed while the engine is away': PATIENCE },
  'apps/mcp-bridge/src/stdio/without-engine.test.ts': {
    'initialize is answered at once': PATIENCE,
    'lists hold what the bridge has': PATIENCE,
    'lists that were given out too early': PATIENCE,
    'the last list stays': PATIENCE,
  },
  'apps/skills-registry/src/agent-skills/changing.test.ts': {
    'a skill that changes': 'five hundred versions are written and read, since a mixture would be seldom',
  },
  'apps/skills-registry/src/operator/acting.test.ts': { 'says whose name it is': COMMAND_WAITS },
  'apps/skills-registry/src/operator/calls.test.ts': {
    'end the command when the engine goes': 'a command gives an engine that has gone five seconds to come back',
  },
  'apps/skills-registry/src/operator/run.test.ts': { 'is named within seconds: the engine': COMMAND_WAITS },
  'apps/skills-registry/src/operator/doctor.test.ts': { 'says that nobody serves': COMMAND_WAITS },
  'apps/skills-registry/src/records/scale.test.ts': {
    'are listed for many at once': 'it writes and lists as many skills as one message holds, many times at once',
    'are listed as far as one message holds them': 'it writes more skills than one message holds',
    'have each once, and lose none': 'it reads two hundred pages, with changes meanwhile',
  },
  'apps/skills-registry/src/store/model.test.ts': {
    'on one engine': 'each of its random histories ends when all registries have looked again',
    'on two engines': 'each of its random histories ends when all registries have looked again',
  },
  'apps/skills-registry/src/store/several.test.ts': {
    'show what was changed through the other one': 'another registry is looked at every two seconds',
  },
  'e2e/docs.test.ts': { 'its tests pass': 'it runs a test runner of its own' },
  'e2e/scenarios/authorization-server.test.ts': { 'the official suite finds nothing wrong': SUITE },
  'e2e/scenarios/archives.test.ts': { 'building twice gives': 'it builds all archives and packages once more' },
  'e2e/scenarios/unread.test.ts': {
    'help that nobody reads': EACH_PROGRAM,
    'help that cannot be written': EACH_PROGRAM,
  },
  'e2e/scenarios/clients.test.ts': { 'client 2.x on 2026-07-28 gives a call up': SILENCE },
  'e2e/scenarios/config.test.ts': { 'a locked bridge is opened': FILE_SEEN },
  'e2e/scenarios/config-of-registry.test.ts': { 'a locked registry is opened': FILE_SEEN },
  'e2e/scenarios/conformance.test.ts': { 'the official suite': SUITE, 'the command tells the score': SUITE },
  'e2e/scenarios/conformance-auth.test.ts': { 'the official suite': SUITE },
  'e2e/scenarios/conformance-ended-tokens.test.ts': { 'a token that ends in the middle': SUITE },
  'e2e/scenarios/conformance-stdio.test.ts': { 'the official suite': SUITE },
  'e2e/scenarios/consumers.test.ts': {
    'the libraries, with no types': TYPES,
    'the protocol in a page': TYPES,
    'the code of the documents': TYPES,
  },
  'e2e/scenarios/gate-fresh.test.ts': {
    'an engine that says nothing of a function': 'each look at it has two seconds',
  },
  'e2e/scenarios/failover.test.ts': {
    ...Object.fromEntries(
      ['bridge', 'registry', 'runs'].map((name) => [`when the ${name} that serves is`, OWNER_SILENT] as const),
    ),
    'a bridge that was frozen': OWNER_SILENT,
    'an mcp-client that waits its turn': OWNER_SILENT,
    'four bridges, two registries': 'ten processes start one after the other, and commands run',
  },
  'e2e/scenarios/guarded-path.test.ts': {
    'a bridge whose settings say nothing': 'three bridges start one after the other, and one of them is killed',
  },
  'e2e/scenarios/gate.test.ts': { 'a function comes, is hidden and leaves': ENGINE_TELLS },
  'e2e/scenarios/mcp-calls.test.ts': { 'a function is told that its client has left': SILENCE },
  'e2e/scenarios/mcp-client-life.test.ts': {
    'a server that exits at once': 'the pause before a try doubles, and the third try is waited for',
  },
  'e2e/scenarios/mcp-client-restarts.test.ts': { '32 servers start in parallel': 'each is a Node of its own' },
  'e2e/scenarios/mcp-live.test.ts': { 'fifty functions are told once': ENGINE_TELLS },
  'e2e/scenarios/mcp-tasks.test.ts': {
    'tasks outlive their bridge': 'the worker of a task counts as gone after ten seconds',
  },
  'e2e/scenarios/namespaces.test.ts': { 'functions of one id in three namespaces': ENGINE_TELLS },
  'e2e/scenarios/operator.test.ts': { 'an exit code says what became': COMMAND_WAITS },
  'e2e/scenarios/release.test.ts': {
    'the published packages install': 'npm installs what was published into an empty project',
    'publishing again': 'it runs the whole command of a release',
  },
  'e2e/scenarios/runs-inert.test.ts': {
    'a worker that nobody asks': 'its ownership watch asks every five seconds, and twice is waited for',
  },
  'e2e/scenarios/runs-lock.test.ts': { 'twenty processes that try': 'twenty processes start at the same moment' },
  'e2e/scenarios/runs-bad-days.test.ts': {
    'a run that waits for the lock': 'the beats of a process that is gone have to stand still for fifteen seconds',
  },
  'e2e/scenarios/start-engine.test.ts': { 'no engine, and something else': 'what listens has five seconds to answer' },
  'e2e/scenarios/stdio.test.ts': { 'an engine that comes late': PATIENCE, 'a call without an engine': PATIENCE },
  'e2e/scenarios/worker-project.test.ts': {
    'a created project': 'it runs npm, a compiler and a test runner of its own',
    'npm run pack': 'it runs npm and starts the worker again and again',
    'what a registry would refuse': 'it runs npm and starts the worker again and again',
  },
  'e2e/suites/main.test.ts': { 'fails when no engine answers there': 'what listens has five seconds to answer' },
  'packages/mock-engine/src/testing/replay.test.ts': {
    "'functions-available'": 'the recorded engine tells of functions every five seconds',
    "measured: 'poisoned-connection-replaced'": UNREAD,
    "'poisoned-connection-replaced'": UNREAD,
    "0.23: 'namespace-functions-available'": 'the recorded engine tells of functions every five seconds',
    "0.23: 'registrations-applied-after-grace'": 'the recorded engine waits five seconds for a worker to say who it is',
  },
  'e2e/scenarios/health.test.ts': { 'a bridge that asks for tokens': 'three bridges start, one after the other' },
  'e2e/scenarios/two-tokens-tasks.test.ts': {
    'a task is another token’s at no bridge': 'the bridge of a task counts as gone after ten seconds',
  },
  'e2e/scenarios/upgrade.test.ts': {
    'of two bridges behind a balancer': 'four bridges start, one after the other, as in an upgrade',
    'a second bridge on the same path': 'two bridges start one after the other, and one looks each second who serves',
  },
  'packages/pack-worker/src/inspection.test.ts': {
    'ends a program that does not': 'a program that is told to end has five seconds',
  },
  'packages/sdk/src/doctor/namespace-check.test.ts': {
    'looks no longer': 'what takes a connection has three seconds to answer',
  },
  'packages/sdk/src/mcp/reporting.test.ts': { 'may hang': 'a bridge that hangs is waited for' },
}

/** Why a test may take longer; undefined for one that may not. */
export function findReason(file: string, name: string): string | undefined {
  return Object.entries(LONG_TESTS[file] ?? {}).find(([beginning]) => name.startsWith(beginning))?.[1]
}
