import type { Crowd } from './crowd.ts'
import type { GaugeSample } from './gauges.ts'

export interface Soaked {
  readonly samples: readonly GaugeSample[]
  /** What clients and commands complained about, in the order in which it happened. */
  readonly complaints: readonly string[]
}

/** Lets clients list and commands run, again and again. @param goesOn is asked after each round, and resolves when the next one may begin */
export async function soak(crowd: Crowd, goesOn: (rounds: number) => Promise<boolean>): Promise<Soaked> {
  const samples = [await crowd.sample()]
  const complaints: string[] = []
  let rounds = 0
  do {
    complaints.push(...(await crowd.runCommands()), ...(await findLostTools(crowd)))
    samples.push(await crowd.sample())
  } while (await goesOn(++rounds))
  return { samples, complaints }
}

/** @returns for each client whose list is another one than it was, which tools are missing or new */
async function findLostTools({ clients }: Crowd): Promise<string[]> {
  const complaints = clients.map(async ({ name, tools, listTools }) => {
    const now = await listTools().catch((error: unknown) => String(error))
    if (typeof now === 'string') return [`the ${name} client got no list: ${now}`]
    const missing = tools.filter((tool) => !now.includes(tool))
    const added = now.filter((tool) => !tools.includes(tool))
    if (missing.length + added.length === 0) return []
    return [`the ${name} client lost ${missing.join(', ') || 'no tool'} and got ${added.join(', ') || 'none'}`]
  })
  return (await Promise.all(complaints)).flat()
}
