import { createCommands } from '@iii/sdk'
import { COMMANDS, FLAGS } from './commands.ts'
import { type Connection, connect } from './connect.ts'

/** The commands of an operator, beside the worker. */
export const commands = createCommands({
  program: 'iii-skills',
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
  open(said) {
    let connection: Connection | undefined
    return {
      extra: {
        async connect() {
          connection = await connect(said)
          return connection.remote
        },
      },
      close: () => connection?.close(),
    }
  },
})
