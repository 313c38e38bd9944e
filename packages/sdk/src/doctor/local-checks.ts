import { type Check, ok, problem, warning } from './check.ts'
import type { DoctorContext, DoctorSession } from './context.ts'

const OLDEST_NODE = [20, 19] as const

/** Is this Node new enough? */
export const nodeCheck: Check<DoctorContext> = {
  name: 'node',
  async run({ session: { host } }) {
    const { nodeVersion, node } = host
    const [major = 0, minor = 0] = nodeVersion.split('.').map(Number)
    const [oldestMajor, oldestMinor] = OLDEST_NODE
    const isOld = major < oldestMajor || (major === oldestMajor && minor < oldestMinor)
    if (!isOld) return ok(`Node ${nodeVersion} at ${node}`)
    return problem(`Node ${nodeVersion} at ${node} is too old`, `install Node ${OLDEST_NODE.join('.')} or newer`)
  },
}

/** Can the worker work with its settings? Flags that contradict each other have ended the command already. */
export const configurationCheck: Check<DoctorContext> = {
  name: 'configuration',
  async run({ session: { settings }, names: { noun } }) {
    const { file, locked } = settings
    if (locked !== undefined) {
      const summary = `${locked.file} cannot be used: a ${noun} that starts with it answers nothing, one that runs keeps its last good settings`
      const order = `mend the file; the ${noun} takes it up without a restart`
      return { ...problem(summary, order), details: locked.mistakes }
    }
    return ok(file ?? 'no file is named (--config, III_CONFIG): flags, environment and defaults count')
  },
}

/** Was a variable meant for the worker that reads none of that name? Those that are read and wrong have ended the command already. */
export const environmentCheck: Check<DoctorContext<Pick<DoctorSession, 'said'>>> = {
  name: 'environment',
  async run({ session: { said } }) {
    if (said.strays.length === 0) return ok('no variable is set that nearly belongs to a setting')
    const order = 'correct the name where the worker is started, or take the variable away'
    return { ...warning('variables are set that no setting is read from', order), details: said.strays }
  },
}
