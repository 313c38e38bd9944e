import { execFile } from 'node:child_process'
import process from 'node:process'
import { promisify } from 'node:util'
import { type ChildOptions, startChild } from '../child.ts'
import { INSTALLED, toInstalled } from '../installed.ts'
import { skillsProgram } from '../programs.ts'
import { until } from '../until.ts'
import type { Arena } from './arena.ts'
import type { BenchSubject } from './measure.ts'
import { registerSkills, type SkillsSize, toSizedSkillId } from './skills-content.ts'

/** A registry that starts on a full store. What it takes of the memory once it has listed, indexed and read goes to the terminal. */
export async function openStart(arena: Arena, size: SkillsSize): Promise<readonly BenchSubject[]> {
  const { stack } = arena
  await registerSkills(stack.worker, size)
  await stack.stop('skills')
  const ask = (function_id: string, payload: object = {}) => stack.worker.trigger({ function_id, payload })

  const startAndAsk = async (program: ChildOptions, work: () => Promise<unknown>, told?: (rss: number) => void) => {
    await using child = startChild(program)
    await until(work, { what: `the first answer of ${program.name}`, deadlineMs: 60_000 })
    told?.(await readResident(child.pid))
  }

  const floor: ChildOptions = {
    name: 'skills-floor',
    entry: new URL('skills-floor-worker.ts', import.meta.url),
    args: ['--url', stack.engineUrl],
  }
  const program = toInstalled(skillsProgram(stack.engineUrl), INSTALLED.skills)
  let isTold = false
  const useAll = async () => {
    const { skills } = (await ask('skills::list')) as { skills: unknown[] }
    return skills.length === size.count
  }
  const tell = (rss: number) => {
    if (!isTold) process.stdout.write(`\n${size.count} × ${size.kib} KiB: ${rss} MB resident after the first list\n`)
    isTold = true
  }
  return [
    {
      name: 'worker that reads one row',
      run: () => startAndAsk(floor, () => ask('floor::read', { id: toSizedSkillId(1) })),
    },
    { name: 'registry', run: () => startAndAsk(program, useAll, tell) },
  ]
}

/** @returns megabytes. */
async function readResident(pid: number): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)])
  return Math.round(Number(stdout) / 1024)
}
