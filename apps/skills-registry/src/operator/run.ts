import { readHost, type Worker } from '@iii/sdk'
import { connectEngine, createCommands, findSettings } from '@iii/sdk/cli'
import { findConflict, options } from '../options.ts'
import { COMMANDS, FLAGS } from './commands.ts'
import { connectRegistry, PROGRAM, type RegistryConnection } from './connect.ts'

/** The commands of an operator, beside the worker. */
export const commands = createCommands({
  program: PROGRAM,
  heading: 'Commands, for a registry that runs already:',
  remark: "Each has a --help of its own. An id that begins with '-' stands behind '--'.",
  flags: FLAGS,
  commands: COMMANDS,
  exitCodes: {
    0: 'done',
    1: 'something was refused or failed; the rest was done',
    2: 'wrong usage; nothing was done',
    3: 'what was named is not there; the rest was done',
    4: 'no engine, or no registry on it that could work',
  },
  open(said, name) {
    let connection: RegistryConnection | undefined
    let worker: Worker | undefined
    return {
      extra: {
        async connect() {
          connection = await connectRegistry(said, name)
          return connection.remote
        },
        findPatient: () => ({
          settings: findSettings({ options, findConflict }, said, PROGRAM),
          host: readHost(),
          async connect() {
            worker = await connectEngine(said, name)
            return worker
          },
        }),
      },
      async close() {
        await Promise.all([connection?.close(), worker?.shutdown()])
      },
    }
  },
})
