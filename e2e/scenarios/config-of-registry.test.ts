import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promptsFunctions, skillsFunctions } from '@iii/protocol'
import { expect } from 'vitest'
import { startChild } from '../child.ts'
import { useEmptyStack } from '../empty-stack.ts'
import { skillsProgram } from '../programs.ts'
import { scenario } from '../scenario.ts'
import { until } from '../until.ts'

const REGISTRY_FUNCTIONS = [...Object.values(skillsFunctions), ...Object.values(promptsFunctions)].map(({ id }) => id)

const shared = useEmptyStack()

scenario(
  ['config/locked'],
  'a registry with a malformed file answers every call with line and reason until it is mended',
  async () => {
    const config = join(shared.folder, 'skills.yaml')
    await writeFile(config, 'state_timeout_ms: soon\n')
    await using _skills = startChild(skillsProgram(shared.stack.engineUrl, ['--config', config]))
    const call = (function_id: string, payload: object) => shared.stack.worker.trigger({ function_id, payload })
    const refusal = (function_id: string, payload: object) =>
      call(function_id, payload).then(
        () => 'answered',
        (error: Error) => error.message,
      )
    const isLocked = async () => (await refusal('skills::list', {})).includes('line 1')
    await until(isLocked, { what: 'a locked answer', deadlineMs: 20_000 })
    expect(await refusal('skills::register', { id: 'a', skill: '# A' })).toContain('state_timeout_ms')
    expect(await refusal('prompts::list', {})).toContain('line 1')

    await writeFile(config, 'state_timeout_ms: 5000\n')
    const isOpen = async () => (await refusal('skills::list', {})) === 'answered'
    await until(isOpen, { what: 'the registry to unlock', deadlineMs: 25_000 })
    await expect(call('skills::register', { id: 'a', skill: '# A' })).resolves.toMatchObject({ id: 'a' })
  },
)

scenario(
  ['config/locked'],
  'a locked registry is opened by nothing but a good file, and answers every call with line and reason till then',
  async () => {
    const config = join(shared.folder, 'skills-stay-locked.yaml')
    const refusals = () =>
      Promise.all(
        REGISTRY_FUNCTIONS.map(async (function_id) => {
          // A call that nobody could serve is refused for the same reason.
          const error = await shared.stack.worker.trigger({ function_id, payload: { id: 5 } }).catch(String)
          return String(error)
        }),
      )
    const lockedBy = (reason: RegExp) =>
      until(async () => (await refusals()).every((text) => reason.test(text)), {
        what: `the registry to be locked by ${reason}`,
      })
    await writeFile(config, 'scopes:\n  skills: team\n  prompts: team\n')
    await using registry = startChild(skillsProgram(shared.stack.engineUrl, ['--config', config]))
    await lockedBy(/line 2: scopes\.skills and scopes\.prompts \(line 3\) are both 'team': they must differ/)
    await rm(config)
    await lockedBy(/line 2: .*; now the file does not exist: put a mended one in its place/)
    await writeFile(config, 'scopes:\n  prompts: skills\n')
    await lockedBy(/line 2: scopes\.skills \(default\) and scopes\.prompts are both 'skills'/)

    await writeFile(config, 'scopes:\n  skills: team\n')
    const list = () => shared.stack.worker.trigger({ function_id: 'skills::list', payload: {} })
    await until(async () => (await list()) !== undefined, { what: 'the registry to unlock' })
    await writeFile(config, 'scopes:\n  skills: prompts\n')
    await registry.line(/are both 'prompts'.*last good/)
    await expect(list()).resolves.toBeDefined()
  },
)
