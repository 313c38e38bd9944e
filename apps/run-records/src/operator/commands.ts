import { type Commands, createCommands } from '@iii/sdk/cli'
import { type CommandContext, openCommandContext } from './command-context.ts'
import { doctor } from './doctor.ts'
import { withExitCodes } from './failure.ts'
import { FLAGS } from './flags.ts'
import { diff, explain, graph, list, metadata, read, runs } from './inspect.ts'
import type { Interrupt } from './interrupt.ts'
import { toJsonFlag } from './json-flag.ts'
import { cancel, clearCache, collect, unlock } from './maintenance.ts'
import { run } from './run.ts'
import type { RunsCommand } from './session.ts'

/** What most commands have in common. */
function define(
  command: Partial<RunsCommand> & Pick<RunsCommand, 'name' | 'summary' | 'examples' | 'work'>,
): RunsCommand {
  const { operands = '', flags = [] } = command
  const least = operands !== '' && !operands.startsWith('[') ? 1 : 0
  const most = operands === '' ? 0 : 1
  return {
    details: '',
    least,
    most,
    ...command,
    operands,
    flags: ['json', ...flags],
    work: withExitCodes(command.work),
  }
}

const JOBS = 'Jobs are those of the file that --config names, and the functions that say runs.job: true.'

const COMMANDS: readonly RunsCommand[] = [
  define({
    name: 'list',
    operands: '[PREFIX]',
    flags: ['cursor'],
    summary: 'List tasks, or those whose id begins with PREFIX, and jobs.',
    details: JOBS,
    examples: [
      ['list', 'List jobs and tasks'],
      ['list orders', 'List tasks whose id begins with orders'],
      ['list --json', 'For a script'],
    ],
    work: list,
  }),
  define({
    name: 'graph',
    operands: '[JOB]',
    flags: ['format', 'prefix', 'cursor'],
    summary: 'Show what depends on what, of a job or of all tasks, a page at a time.',
    examples: [
      ['graph', 'Show what depends on what'],
      ['graph orders-summary', 'Show one job'],
      ['graph orders-summary --format mermaid', 'Draw it'],
    ],
    work: graph,
  }),
  define({
    name: 'explain',
    operands: 'TASK',
    summary: 'Show everything known of a task.',
    examples: [
      ['explain orders::collect', 'Show everything known of a task'],
      ['explain orders::collect --json', 'For a script'],
      ['explain orders::collect --config runs.yaml', 'With the jobs of a file'],
    ],
    work: explain,
  }),
  define({
    name: 'metadata',
    summary: 'Show how the records are set.',
    examples: [
      ['metadata', 'Show how the records are set'],
      ['metadata --json', 'For a script'],
      ['metadata --config runs.yaml', 'Show what the settings of a file make of them'],
    ],
    work: metadata,
  }),
  define({
    name: 'runs',
    flags: ['limit', 'cursor', 'kind', 'job', 'task', 'status', 'since'],
    summary: 'List runs, and calls of MCP clients, the newest first.',
    examples: [
      ['runs', 'List the newest'],
      ['runs --status failed --since 2026-11-22T06:00:00Z', 'List what failed since then'],
      ['runs --kind call --limit 50', 'List calls of MCP clients'],
    ],
    work: runs,
  }),
  define({
    name: 'read',
    operands: 'RUN|latest',
    summary: 'Show the record of a run, and of what failed how to go on.',
    examples: [
      ['read latest', 'Show the last run'],
      ['read latest --json', 'For a script'],
      ['read latest --url ws://10.0.0.5:49134', 'Show the last run of another engine'],
    ],
    work: read,
  }),
  define({
    name: 'diff',
    operands: 'TASK',
    flags: ['run', 'against', 'input'],
    summary: 'Say what differs since a task last passed: names of fields, never values.',
    details: 'With --input, what differs between that input and the last run that passed.',
    examples: [
      ['diff orders::collect', 'Compare the last run with the last that passed'],
      ["diff orders::collect --input '{}'", 'Compare an input with that of the last run that passed'],
      ['diff orders::collect --json', 'For a script'],
    ],
    work: diff,
  }),
  define({
    name: 'doctor',
    summary: 'Check store, locks, records and jobs, and who else has name or functions of the worker.',
    details: 'Each check says ok, warning or problem, and what to do. It changes nothing.',
    examples: [
      ['doctor', 'Check store, locks, records and jobs'],
      ['doctor --config runs.yaml', 'Check them with the jobs of a file'],
      ['doctor --json', 'For a script'],
    ],
    work: doctor,
  }),
  define({
    name: 'run',
    operands: 'JOB',
    flags: ['input', 'force', 'wait'],
    summary: 'Run a job in this process, with the lock, records and cache that all runs share.',
    details: [
      JOBS,
      'It needs neither the worker nor --allow-run. --force computes everything again. Ctrl-C cancels the run and finishes its record; a second one ends at once.',
      'The exit code is that of the run: 0 passed or cached, 1 failed, unknown, or another run has the lock.',
    ].join('\n'),
    examples: [
      ['run orders-summary --config runs.yaml', 'Run a job of a file'],
      [`run orders-summary --input '{"day":"2026-11-22"}'`, 'Run it with an input'],
      ['run orders-summary --force --wait 60', 'Compute everything again, and wait a minute for the lock'],
    ],
    work: run,
  }),
  define({
    name: 'cancel',
    operands: 'RUN',
    summary: 'Cancel a run, wherever it runs.',
    examples: [
      ['cancel 01JD3Z9Q2M8V5T7R4K6N0P1S2W', 'Cancel a run: runs lists them'],
      ['cancel 01JD3Z9Q2M8V5T7R4K6N0P1S2W --json', 'For a script'],
      ['cancel 01JD3Z9Q2M8V5T7R4K6N0P1S2W --url ws://10.0.0.5:49134', 'Cancel one on another engine'],
    ],
    work: cancel,
  }),
  define({
    name: 'unlock',
    operands: 'NAME',
    flags: ['force'],
    summary: 'Free the lock of a process that is gone.',
    details:
      'A lock whose process lives needs --force: the run that had it may go on until its next beat, and what it has begun goes on, beside the next run.',
    examples: [
      ['unlock default', 'Free the lock of a process that is gone'],
      ['unlock default --force', 'Free it although that process lives'],
      ['unlock default --json', 'For a script'],
    ],
    work: unlock,
  }),
  define({
    name: 'gc',
    summary: 'Remove old records, and end those of runs that nobody runs any more.',
    details: 'That a process is gone is certain after 15 seconds: so long it waits where one still has a lock.',
    examples: [
      ['gc', 'Remove what is older than the settings keep'],
      ['gc --config runs.yaml', 'Remove what the settings of a file do not keep'],
      ['gc --json', 'For a script'],
    ],
    work: collect,
  }),
  define({
    name: 'cache clear',
    summary: 'Take nothing from the cache that is in it now.',
    examples: [
      ['cache clear', 'Have every task computed again'],
      ['cache clear --json', 'For a script'],
      ['cache clear --url ws://10.0.0.5:49134', 'Clear that of another engine'],
    ],
    work: clearCache,
  }),
]

/** The commands of an operator, beside the worker. */
export function createRunsCommands(createInterrupt: () => Interrupt): Commands {
  const commands = createCommands({
    program: 'iii-runs',
    heading: 'Commands:',
    remark: "Each has a --help of its own. A word that begins with '-' stands behind '--'.",
    flags: FLAGS,
    commands: COMMANDS,
    exitCodes: {
      0: 'done; a run passed, or was cached',
      1: 'a run failed, its outcome is unknown, or another run has the lock; doctor found a problem',
      2: 'wrong usage; nothing was done',
      3: 'there is no such job, task or run',
      4: 'no engine answers, or it keeps no state',
      130: 'cancelled by Ctrl-C',
      141: 'cancelled because nobody reads the output',
      143: 'cancelled because the process was told to end',
    },
    open(said, name) {
      let opened: Promise<CommandContext> | undefined
      return {
        extra: {
          interrupt: createInterrupt(),
          connect() {
            opened ??= openCommandContext(said, name)
            return opened
          },
        },
        close: () => opened?.then(({ worker }) => worker.shutdown()).catch(() => undefined),
      }
    },
  })
  return { ...commands, run: (invocation) => commands.run({ ...invocation, argv: toJsonFlag(invocation.argv) }) }
}
