import { type Commands, createCommands } from '@iii/sdk/cli'
import { withExitCodes } from './failure.ts'
import { FLAGS } from './flags.ts'
import { diff, doctor, explain, graph, list, metadata, read, runs } from './inspect.ts'
import type { Interrupt } from './interrupt.ts'
import { run } from './run.ts'
import type { RunsCommand } from './session.ts'
import { cancel, clearCache, collect, unlock } from './upkeep.ts'
import { openWorkbench, type Workbench } from './workbench.ts'

/** What most commands have in common. */
function define(command: Partial<RunsCommand> & Pick<RunsCommand, 'name' | 'summary' | 'work'>): RunsCommand {
  const { operands = '', flags = [] } = command
  const least = operands !== '' && !operands.startsWith('[') ? 1 : 0
  const most = operands === '' ? 0 : 1
  return {
    details: '',
    least,
    most,
    ...command,
    operands,
    flags: ['format', ...flags],
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
    work: list,
  }),
  define({
    name: 'graph',
    operands: '[JOB]',
    flags: ['prefix', 'cursor'],
    summary: 'Show what depends on what, of a job or of all tasks, a page at a time.',
    details: '--format dot and --format mermaid draw all of it.',
    work: graph,
  }),
  define({ name: 'explain', operands: 'TASK', summary: 'Show everything known of a task.', work: explain }),
  define({ name: 'metadata', summary: 'Show how the records are set.', work: metadata }),
  define({
    name: 'runs',
    flags: ['limit', 'cursor', 'kind', 'job', 'task', 'status', 'since'],
    summary: 'List runs, and calls of MCP clients, the newest first.',
    work: runs,
  }),
  define({
    name: 'read',
    operands: 'RUN|latest',
    summary: 'Show the record of a run, and of what failed how to go on.',
    work: read,
  }),
  define({
    name: 'diff',
    operands: 'TASK',
    flags: ['run', 'against', 'input'],
    summary: 'Say what differs since a task last passed: names of fields, never values.',
    details: 'With --input, what differs between that input and the last run that passed.',
    work: diff,
  }),
  define({
    name: 'doctor',
    summary: 'Check store, locks, records and jobs.',
    details: 'Each check says ok, warning or problem, and what to do. It changes nothing.',
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
    work: run,
  }),
  define({ name: 'cancel', operands: 'RUN', summary: 'Cancel a run, wherever it runs.', work: cancel }),
  define({
    name: 'unlock',
    operands: 'NAME',
    flags: ['force'],
    summary: 'Free the lock of a process that is gone.',
    details:
      'A lock whose process lives needs --force: the run that had it may go on until its next beat, and what it has begun goes on, beside the next run.',
    work: unlock,
  }),
  define({ name: 'gc', summary: 'Remove old records, and end those of processes that are gone.', work: collect }),
  define({ name: 'cache clear', summary: 'Take nothing from the cache that is in it now.', work: clearCache }),
]

/** The commands of an operator, beside the worker. */
export function createRunsCommands(createInterrupt: () => Interrupt): Commands {
  return createCommands({
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
      let opened: Promise<Workbench> | undefined
      return {
        extra: {
          interrupt: createInterrupt(),
          connect() {
            opened ??= openWorkbench(said, name)
            return opened
          },
        },
        close: () => opened?.then(({ worker }) => worker.shutdown()).catch(() => undefined),
      }
    },
  })
}
