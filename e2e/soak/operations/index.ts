import { findLost } from '../lost.ts'
import { createModel, type Model } from '../model.ts'
import type { Operation } from '../operation.ts'
import type { Stage } from '../stage.ts'
import { createCalls } from './calls.ts'
import { createToolList } from './lists.ts'
import { createOrders } from './orders.ts'
import { createRuns } from './runs.ts'
import { createSkills, readSkill } from './skills.ts'
import { createSubscriptions } from './subscriptions.ts'
import { createTasks } from './tasks.ts'

export interface Operations {
  readonly all: readonly Operation[]
  /** What lies in the engine's state alone. */
  readonly kept: readonly Model[]
  /** What was acknowledged and cannot be had. */
  findLost(stage: Pick<Stage, 'clients'>): Promise<string[]>
  /** Has the registry read every skill. */
  readAll(stage: Pick<Stage, 'clients'>): Promise<unknown>
}

/** @param absent processes that could not be started */
export function createOperations(
  { control, mcpUrl }: Pick<Stage, 'control' | 'mcpUrl'>,
  { absent, isCalm }: { absent: readonly string[]; isCalm: () => boolean },
): Operations {
  const [skills, orders, runs, tasks] = [createModel(), createModel(), createModel(), createModel()]
  const shop = createOrders(orders)
  return {
    kept: [orders, runs, tasks],
    all: [
      ...createCalls(absent),
      ...shop.operations,
      ...createSkills(control, skills, isCalm),
      ...createRuns(control, runs),
      createTasks(tasks),
      createToolList(isCalm),
      createSubscriptions(mcpUrl, control, skills),
    ],
    readAll: ({ clients: [client] }) =>
      Promise.all(
        client === undefined ? [] : skills.ids().map((id) => readSkill(skills, id, client).catch(() => undefined)),
      ),
    async findLost({ clients: [client] }) {
      if (client === undefined) return []
      const ofSkills = await findLost(skills, client, (id) => readSkill(skills, id, client))
      return [...ofSkills, ...(await findLost(orders, client, shop.read))]
    },
  }
}
